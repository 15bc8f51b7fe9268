#include "data/device_column.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace lanewise {

namespace {

constexpr std::string_view kWhat = "A column";
/// Rows that are rearranged at a time.
constexpr int64_t kStep = int64_t{1} << 20;
constexpr size_t kWord = 16;  // bytes that kernels read of texts at a time

/// Copies the pieces into device memory one behind the other.
class Uploader {
 public:
  Uploader(Type type, std::vector<ColumnPiece> pieces, const DeviceUpload& upload)
      : pieces_(std::move(pieces)), upload_(upload) {
    column_.type = type;
    for (const ColumnPiece& piece : pieces_) column_.rows += piece.rows;
  }

  DeviceColumn run() {
    copy_validity();
    const auto is_dictionary = [](const ColumnPiece& piece) { return piece.column->dictionary != nullptr; };
    const bool any = std::any_of(pieces_.begin(), pieces_.end(), is_dictionary);
    const bool all = std::all_of(pieces_.begin(), pieces_.end(), is_dictionary);
    if (any && all && column_.type.is_string()) {
      copy_codes();
      return std::move(column_);
    }
    if (any) make_plain();
    column_.type.is_string() ? copy_texts() : copy_values();
    return std::move(column_);
  }

 private:
  device::DeviceBuffer allocate(size_t bytes) const {
    return upload_.pool.allocate(bytes, upload_.stream, kWhat);
  }
  Buffer scratch(size_t bytes) const { return Buffer::allocate(bytes, upload_.budget, kWhat); }
  void copy(const device::DeviceBuffer& to, size_t at, const void* from, size_t bytes) const {
    upload_.staging.upload(to.address() + at, from, bytes, upload_.stream);
  }

  void copy_validity() {
    const bool any = std::any_of(pieces_.begin(), pieces_.end(),
                                 [](const ColumnPiece& piece) { return bool(piece.column->validity); });
    if (!any) return;
    const auto rows = static_cast<size_t>(column_.rows);
    Buffer bitmap = scratch((bits::words(rows) + 1) * sizeof(uint64_t));
    auto* words = bitmap.mutable_as<uint64_t>();
    std::fill_n(words, bits::words(rows) + 1, 0);
    size_t at = 0;
    std::vector<uint64_t> piece_words;
    for (const ColumnPiece& piece : pieces_) {
      const auto count = static_cast<size_t>(piece.rows);
      piece_words.assign(bits::words(count) + 1, 0);
      if (piece.column->validity) {
        bits::copy(piece.column->validity.as<uint64_t>(), static_cast<size_t>(piece.first), count,
                   piece_words.data());
      } else {
        bits::fill(piece_words.data(), count);
      }
      const size_t shift = at % 64;
      for (size_t word = 0; word < bits::words(count); ++word) {
        words[at / 64 + word] |= piece_words[word] << shift;
        if (shift != 0) words[at / 64 + word + 1] |= piece_words[word] >> (64 - shift);
      }
      at += count;
    }
    column_.validity = allocate(bits::words(rows) * sizeof(uint64_t));
    copy(column_.validity, 0, words, bits::words(rows) * sizeof(uint64_t));
  }

  void copy_values() {
    const size_t size = width(column_.type.physical());
    column_.values = allocate(static_cast<size_t>(column_.rows) * size);
    size_t at = 0;
    for (const ColumnPiece& piece : pieces_) {
      const size_t bytes = static_cast<size_t>(piece.rows) * size;
      copy(column_.values, at, piece.column->values.data() + static_cast<size_t>(piece.first) * size, bytes);
      at += bytes;
    }
  }

  void copy_texts() {
    size_t bytes = 0;
    for (const ColumnPiece& piece : pieces_) {
      bytes += piece.column->offset(piece.first + piece.rows) - piece.column->offset(piece.first);
    }
    // Kernels read whole words: those of the end have no byte that nobody wrote.
    const size_t whole = bytes / kWord * kWord;
    column_.values = allocate(whole + kWord);
    upload_.stream.fill(column_.values.address() + whole, 0, kWord);
    size_t at = 0;
    for (const ColumnPiece& piece : pieces_) {
      const uint64_t begin = piece.column->offset(piece.first);
      const size_t size = piece.column->offset(piece.first + piece.rows) - begin;
      copy(column_.values, at, piece.column->values.data() + begin, size);
      at += size;
    }
    column_.wide_offsets = bytes > UINT32_MAX;
    column_.wide_offsets ? copy_offsets<uint64_t>() : copy_offsets<uint32_t>();
  }

  /// Each piece's offsets count from where its bytes lie now; its last one is the next one's first.
  template <class Offset>
  void copy_offsets() {
    column_.offsets = allocate((static_cast<size_t>(column_.rows) + 1) * sizeof(Offset));
    Buffer moved = scratch((kStep + 1) * sizeof(Offset));
    auto* to = moved.mutable_as<Offset>();
    size_t at = 0;
    uint64_t begin = 0;  // of the piece's bytes
    to[0] = 0;
    if (pieces_.empty()) copy(column_.offsets, 0, to, sizeof(Offset));
    for (const ColumnPiece& piece : pieces_) {
      const uint64_t first = piece.column->offset(piece.first);
      for (int64_t row = 0; row < piece.rows; row += kStep) {
        const int64_t count = std::min(kStep, piece.rows - row);
        for (int64_t i = 0; i <= count; ++i)
          to[i] = static_cast<Offset>(piece.column->offset(piece.first + row + i) - first + begin);
        copy(column_.offsets, at * sizeof(Offset), to, (static_cast<size_t>(count) + 1) * sizeof(Offset));
        at += static_cast<size_t>(count);
      }
      begin += piece.column->offset(piece.first + piece.rows) - first;
    }
  }

  /// The dictionaries, each once, become one; codes count on.
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
    column_.values = allocate(static_cast<size_t>(column_.rows) * sizeof(uint32_t));
    Buffer moved = scratch(kStep * sizeof(uint32_t));
    auto* to = moved.mutable_as<uint32_t>();
    size_t at = 0;
    for (const ColumnPiece& piece : pieces_) {
      const auto* codes = piece.column->values.as<uint32_t>() + piece.first;
      const uint32_t base = bases.at(piece.column->dictionary.get());
      const auto known = static_cast<uint32_t>(piece.column->dictionary->rows);
      for (int64_t row = 0; row < piece.rows; row += kStep) {
        const int64_t step = std::min(kStep, piece.rows - row);
        for (int64_t i = 0; i < step; ++i)  // NULLs may have any code
          to[i] = base + (codes[row + i] < known ? codes[row + i] : 0);
        copy(column_.values, at * sizeof(uint32_t), to, static_cast<size_t>(step) * sizeof(uint32_t));
        at += static_cast<size_t>(step);
      }
    }
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
};

}  // namespace

size_t DeviceColumn::bytes() const {
  return validity.size() + values.size() + offsets.size() + (dictionary == nullptr ? 0 : dictionary->bytes());
}

DeviceColumn to_device(Type type, std::span<const ColumnPiece> pieces, const DeviceUpload& upload) {
  return Uploader(type, {pieces.begin(), pieces.end()}, upload).run();
}

}  // namespace lanewise
