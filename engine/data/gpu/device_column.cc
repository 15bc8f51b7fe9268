#include "data/gpu/device_column.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lanewise {

namespace {

constexpr std::string_view kWhat = "A column";
constexpr size_t kWord = 16;  // bytes of strings that kernels read at a time

/// Copies the pieces into device memory one after another: several threads write the staging buffers.
class Uploader {
 public:
  Uploader(Type type, std::vector<ColumnPiece> pieces, const DeviceUpload& upload)
      : pieces_(std::move(pieces)), upload_(upload) {
    column_.type = type;
  }

  DeviceColumn run() {
    const auto is_dictionary = [](const ColumnPiece& piece) { return piece.column->dictionary != nullptr; };
    const bool any = std::any_of(pieces_.begin(), pieces_.end(), is_dictionary);
    const bool coded =
        any && column_.type.is_string() && std::all_of(pieces_.begin(), pieces_.end(), is_dictionary);
    if (any && !coded) make_plain();
    for (const ColumnPiece& piece : pieces_) {
      rows_.push_back(static_cast<uint64_t>(column_.rows));
      column_.rows += piece.rows;
    }
    rows_.push_back(static_cast<uint64_t>(column_.rows));
    copy_validity();
    if (coded) {
      copy_codes();
    } else {
      column_.type.is_string() ? copy_texts() : copy_values();
    }
    return std::move(column_);
  }

 private:
  gpu::DeviceBuffer allocate(size_t bytes) const {
    return upload_.pool.allocate(bytes, upload_.stream, kWhat);
  }
  void copy(const gpu::DeviceBuffer& to, size_t bytes, const gpu::Staging::Fill& fill) const {
    upload_.staging.upload(to.address(), bytes, fill, upload_.stream);
  }

  /// Calls `take(piece, first, count, at)` for each piece that has some of [begin, end): `count` from its
  /// `first` on, that come `at` after `begin`. `starts[i]` is where the i-th one begins, the last where all
  /// end.
  template <class Take>
  static void for_each_part(const std::vector<uint64_t>& starts, uint64_t begin, uint64_t end, Take&& take) {
    auto next = std::upper_bound(starts.begin(), starts.end(), begin);
    for (uint64_t at = begin; at < end; ++next) {
      const uint64_t start = *(next - 1), count = std::min(end, *next) - at;
      if (count != 0) take(static_cast<size_t>(next - 1 - starts.begin()), at - start, count, at - begin);
      at += count;
    }
  }

  void copy_validity() {
    const bool any = std::any_of(pieces_.begin(), pieces_.end(),
                                 [](const ColumnPiece& piece) { return bool(piece.column->validity); });
    if (!any) return;
    const size_t bytes = bits::words(static_cast<size_t>(column_.rows)) * sizeof(uint64_t);
    column_.validity = allocate(bytes);
    copy(column_.validity, bytes, [&](uint8_t* to, size_t at, size_t size) {
      const uint64_t end = std::min(rows_.back(), (at + size) * 8);
      std::vector<uint64_t> bitmap(size / sizeof(uint64_t) + 1), part;
      for_each_part(rows_, at * 8, end, [&](size_t i, uint64_t first, uint64_t count, uint64_t place) {
        const ColumnPiece& piece = pieces_[i];
        part.assign(bits::words(count), 0);
        if (piece.column->validity) {
          bits::copy(piece.column->validity.as<uint64_t>(), static_cast<size_t>(piece.first) + first, count,
                     part.data());
        } else {
          bits::fill(part.data(), count);
        }
        const size_t shift = place % 64;
        for (size_t word = 0; word < part.size(); ++word) {
          bitmap[place / 64 + word] |= part[word] << shift;
          if (shift != 0) bitmap[place / 64 + word + 1] |= part[word] >> (64 - shift);
        }
      });
      std::memcpy(to, bitmap.data(), size);
    });
  }

  void copy_values() {
    const size_t width = lanewise::width(column_.type.physical());
    const size_t bytes = static_cast<size_t>(column_.rows) * width;
    column_.values = allocate(bytes);
    std::vector<uint64_t> starts;  // start of each piece's bytes
    for (const uint64_t rows : rows_) starts.push_back(rows * width);
    copy(column_.values, bytes, [&](uint8_t* to, size_t at, size_t size) {
      for_each_part(starts, at, at + size, [&](size_t i, uint64_t first, uint64_t count, uint64_t place) {
        const ColumnPiece& piece = pieces_[i];
        std::memcpy(to + place,
                    piece.column->values.data() + static_cast<size_t>(piece.first) * width + first, count);
      });
    });
  }

  void copy_texts() {
    std::vector<uint64_t> starts = {0};  // of the pieces' bytes
    for (const ColumnPiece& piece : pieces_) {
      starts.push_back(starts.back() + piece.column->offset(piece.first + piece.rows) -
                       piece.column->offset(piece.first));
    }
    const uint64_t bytes = starts.back();
    // Kernels read whole words: all bytes of the last ones are written.
    const size_t whole = bytes / kWord * kWord;
    column_.values = allocate(whole + kWord);
    upload_.stream.fill(column_.values.address() + whole, 0, kWord);
    copy(column_.values, bytes, [&](uint8_t* to, size_t at, size_t size) {
      for_each_part(starts, at, at + size, [&](size_t i, uint64_t first, uint64_t count, uint64_t place) {
        const Column& from = *pieces_[i].column;
        std::memcpy(to + place, from.values.data() + from.offset(pieces_[i].first) + first, count);
      });
    });
    column_.wide_offsets = bytes > UINT32_MAX;
    column_.wide_offsets ? copy_offsets<uint64_t>(starts) : copy_offsets<uint32_t>(starts);
  }

  /// Each piece's offsets are relative to the new position of its bytes.
  template <class Offset>
  void copy_offsets(const std::vector<uint64_t>& starts) {
    const size_t bytes = (static_cast<size_t>(column_.rows) + 1) * sizeof(Offset);
    column_.offsets = allocate(bytes);
    std::mutex mutex;  // guards the longest string
    copy(column_.offsets, bytes, [&](uint8_t* memory, size_t at, size_t size) {
      auto* const to = reinterpret_cast<Offset*>(memory);
      const uint64_t begin = at / sizeof(Offset), end = begin + size / sizeof(Offset);
      uint64_t longest = 0;
      for_each_part(rows_, begin, std::min(end, rows_.back()),
                    [&](size_t i, uint64_t first, uint64_t count, uint64_t place) {
                      const ColumnPiece& piece = pieces_[i];
                      const uint64_t moved = starts[i] - piece.column->offset(piece.first);
                      const int64_t row = piece.first + static_cast<int64_t>(first);
                      uint64_t start = piece.column->offset(row);
                      for (uint64_t r = 0; r < count; ++r) {
                        to[place + r] = static_cast<Offset>(start + moved);
                        const uint64_t next = piece.column->offset(row + static_cast<int64_t>(r) + 1);
                        longest = std::max(longest, next - start);
                        start = next;
                      }
                    });
      if (end > rows_.back()) to[rows_.back() - begin] = static_cast<Offset>(starts.back());
      const std::lock_guard lock(mutex);
      column_.longest = std::max(column_.longest, longest);
    });
  }

  /// Concatenates the distinct dictionaries and shifts the codes.
  void copy_codes() {
    std::map<const Column*, uint32_t> bases;
    std::vector<ColumnPiece> entries;
    uint32_t count = 0;
    for (const ColumnPiece& piece : pieces_) {
      const Column* dictionary = piece.column->dictionary.get();
      if (!bases.emplace(dictionary, count).second) continue;
      entries.push_back({piece.column->dictionary, 0, dictionary->rows});
      count += static_cast<uint32_t>(dictionary->rows);
    }
    column_.dictionary =
        std::make_unique<const DeviceColumn>(Uploader(column_.type, std::move(entries), upload_).run());
    const size_t bytes = static_cast<size_t>(column_.rows) * sizeof(uint32_t);
    column_.values = allocate(bytes);
    copy(column_.values, bytes, [&](uint8_t* memory, size_t at, size_t size) {
      auto* const to = reinterpret_cast<uint32_t*>(memory);
      for_each_part(rows_, at / sizeof(uint32_t), (at + size) / sizeof(uint32_t),
                    [&](size_t i, uint64_t first, uint64_t rows, uint64_t place) {
                      const ColumnPiece& piece = pieces_[i];
                      const auto* codes = piece.column->values.as<uint32_t>() + piece.first + first;
                      const uint32_t base = bases.at(piece.column->dictionary.get());
                      const auto known = static_cast<uint32_t>(piece.column->dictionary->rows);
                      for (uint64_t r = 0; r < rows; ++r)  // NULLs may have any code
                        to[place + r] = base + (codes[r] < known ? codes[r] : 0);
                    });
    });
  }

  /// Replaces dictionary pieces by their values.
  void make_plain() {
    for (ColumnPiece& piece : pieces_) {
      const Column& from = *piece.column;
      if (from.dictionary == nullptr) continue;
      ColumnBuilder builder(column_.type, upload_.budget, kWhat);
      const auto* codes = from.values.as<uint32_t>();
      for (int64_t row = piece.first; row < piece.first + piece.rows; ++row) {
        if (from.is_null(row)) {
          builder.append_null();
        } else if (column_.type.is_string()) {
          builder.append_text(from.text(row));
        } else {
          builder.append(from.dictionary->value(codes[row]));
        }
      }
      piece = {builder.finish(), 0, piece.rows};
    }
  }

  std::vector<ColumnPiece> pieces_;
  const DeviceUpload& upload_;
  DeviceColumn column_;
  std::vector<uint64_t> rows_;  // start of each piece's rows, and the end
};

}  // namespace

size_t DeviceColumn::bytes() const {
  return validity.size() + values.size() + offsets.size() + (dictionary == nullptr ? 0 : dictionary->bytes());
}
size_t DeviceColumn::own_bytes() const {
  return validity.own_size() + values.own_size() + offsets.own_size() +
         (dictionary == nullptr ? 0 : dictionary->own_bytes());
}

bool has_slices(const DeviceColumn& column) {
  return !column.type.is_string() || column.dictionary != nullptr;
}

DeviceColumn slice_of(const std::shared_ptr<const DeviceColumn>& whole, int64_t first, int64_t rows) {
  invariant(has_slices(*whole) && first % 64 == 0 && first + rows <= whole->rows,
            "a slice begins at a whole word of validity");
  const auto part_of = [&](const gpu::DeviceBuffer& all, size_t from, size_t bytes) {
    return all ? gpu::DeviceBuffer::wrap(all.address() + from, bytes, whole) : gpu::DeviceBuffer();
  };
  const auto begin = static_cast<size_t>(first), count = static_cast<size_t>(rows);
  const size_t bytes = whole->dictionary ? sizeof(uint32_t) : width(whole->type.physical());
  DeviceColumn slice;
  slice.type = whole->type;
  slice.rows = rows;
  slice.validity = part_of(whole->validity, begin / 8, (count + 7) / 8);
  slice.values = part_of(whole->values, begin * bytes, count * bytes);
  if (const DeviceColumn* entries = whole->dictionary.get(); entries != nullptr) {
    auto same = std::make_unique<DeviceColumn>();
    same->type = entries->type;
    same->rows = entries->rows;
    same->values = part_of(entries->values, 0, entries->values.size());
    same->offsets = part_of(entries->offsets, 0, entries->offsets.size());
    same->wide_offsets = entries->wide_offsets;
    same->longest = entries->longest;
    slice.dictionary = std::move(same);
  }
  return slice;
}

DeviceColumn to_device(Type type, std::span<const ColumnPiece> pieces, const DeviceUpload& upload) {
  return Uploader(type, {pieces.begin(), pieces.end()}, upload).run();
}

ColumnPtr to_host(const DeviceColumn& column, gpu::Staging& staging, gpu::Stream& stream,
                  MemoryBudget* budget) {
  invariant(column.dictionary == nullptr, "a device's dictionary may repeat entries");
  const auto rows = static_cast<uint64_t>(column.rows);
  const auto bring = [&](gpu::cuda::Address from, size_t bytes) {
    Buffer to = Buffer::allocate(bytes, budget, kWhat);
    if (bytes != 0) staging.download(to.mutable_data(), from, bytes, stream);
    return to;
  };
  auto made = std::make_shared<Column>();
  made->type = column.type;
  made->rows = column.rows;
  if (column.validity && rows != 0) {
    made->validity = Buffer::allocate(bits::words(rows) * sizeof(uint64_t), budget, kWhat);
    auto* const words = made->validity.mutable_as<uint64_t>();
    words[bits::words(rows) - 1] = 0;  // the device has 32 rows in a word
    staging.download(words, column.validity.address(), (rows + 31) / 32 * sizeof(uint32_t), stream);
    if (rows % 64 != 0) words[rows / 64] &= (uint64_t{1} << rows % 64) - 1;
    made->nulls = static_cast<int64_t>(rows - bits::count(words, rows));
    if (made->nulls == 0) made->validity = Buffer();
  }
  if (column.type.is_string()) {
    made->wide_offsets = column.wide_offsets;
    made->offsets = bring(column.offsets.address(),
                          (rows + 1) * (column.wide_offsets ? sizeof(uint64_t) : sizeof(uint32_t)));
    const uint64_t bytes = made->offset(column.rows);
    made->values = bring(column.values.address(), bytes);
    if (made->wide_offsets && bytes <= UINT32_MAX) {
      Buffer narrow = Buffer::allocate((rows + 1) * sizeof(uint32_t), budget, kWhat);
      std::copy_n(made->offsets.as<uint64_t>(), rows + 1, narrow.mutable_as<uint32_t>());
      made->offsets = std::move(narrow);
      made->wide_offsets = false;
    }
  } else {
    made->values = bring(column.values.address(), rows * width(column.type.physical()));
  }
  return made;
}

}  // namespace lanewise
