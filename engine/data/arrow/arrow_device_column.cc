#include "data/arrow/arrow_device_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "data/arrow/arrow_buffers.h"
#include "data/gpu/arrow-inl.h"

namespace lanewise::arrow {

namespace {

constexpr std::string_view kForeign = "An Arrow column";
constexpr size_t kForeignWord = 16;  // bytes of strings that kernels read at a time

using gpu::DeviceBuffer;
using gpu::cuda::Address;

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

/// Whether the values have our layout.
bool is_ours(const Form& form) {
  return form.layout == Layout::kSame ||
         (form.factor == 1 && form.size == static_cast<int32_t>(width(form.type.physical())));
}

class Maker {
 public:
  Maker(const ArrowSchema& field, const std::vector<DevicePart>& parts, std::shared_ptr<const void> owner,
        const BorderKernels& kernels, const DeviceUpload& upload)
      : field_(field),
        form_(form_of(field)),
        parts_(parts),
        owner_(std::move(owner)),
        kernels_(kernels),
        upload_(upload) {}

  DeviceColumn run() {
    column_.type = form_.type;
    for (const DevicePart& part : parts_) column_.rows += part.rows;
    take_validity();
    switch (form_.layout) {
      case Layout::kBits:
        spread_bits();
        break;
      case Layout::kDecimal:
      case Layout::kScaled:
        is_ours(form_) ? take_values() : convert();
        break;
      case Layout::kText32:
        take_texts<uint32_t>();
        break;
      case Layout::kText64:
        take_texts<uint64_t>();
        break;
      default:
        take_values();
    }
    return std::move(column_);
  }

 private:
  DeviceBuffer allocate(size_t bytes) const { return upload_.pool.allocate(bytes, upload_.stream, kForeign); }
  DeviceBuffer zeros(size_t bytes) const {
    DeviceBuffer buffer = allocate(bytes);
    upload_.stream.fill(buffer.address(), 0, bytes);
    return buffer;
  }

  /// Bytes [at, at + bytes) of a part's buffer; `there`: how many bytes its allocation has from there on.
  Address bytes_of(const DevicePart& part, int64_t index, size_t at, size_t bytes,
                   size_t* there = nullptr) const {
    if (index >= part.array->n_buffers) refuse(field_, "a buffer is missing");
    const void* const from = part.array->buffers[index];
    if (bytes == 0) return address_of(from) + at;
    if (from == nullptr) refuse(field_, "a buffer is null");
    const size_t all = check_memory(upload_.pool.device(), field_, index, from, at + bytes);
    if (there != nullptr) *there = all == SIZE_MAX ? 0 : all - at;  // 0: the driver does not report it
    return address_of(from) + at;
  }
  /// These bytes in place; empty if they must be copied.
  DeviceBuffer in_place(const DevicePart& part, int64_t index, size_t at, size_t bytes,
                        size_t alignment) const {
    size_t there = 0;
    const Address address = bytes_of(part, index, at, bytes, &there);
    if (parts_.size() != 1 || bytes == 0 || address % alignment != 0 || there < bytes + kPadding) return {};
    if (!gpu::find_allocation(upload_.pool.device(), address + bytes + kPadding - 1).mapped) return {};
    return DeviceBuffer::wrap(address, bytes, owner_);
  }
  /// These bytes, aligned for numbers of up to 8 bytes; copied to `room` if necessary.
  Address aligned(const DevicePart& part, int64_t index, size_t at, size_t bytes, DeviceBuffer& room) const {
    const Address address = bytes_of(part, index, at, bytes);
    if (address % 8 == 0) return address;
    room = allocate(bytes);
    upload_.stream.copy(room.address(), address, bytes);
    return room.address();
  }

  /// Launches a thread for each of `count` items.
  template <class... Arguments>
  void launch(const char* kernel, uint64_t count, Arguments... arguments) const {
    if (count != 0)
      kernels_().kernel(kernel).launch(upload_.stream, {.blocks = (count + 255) / 256}, arguments...);
  }

  static bool has_validity(const DevicePart& part) {
    return part.array->null_count != 0 && part.array->n_buffers > 0 && part.array->buffers[0] != nullptr;
  }

  void take_validity() {
    if (column_.rows == 0 || std::none_of(parts_.begin(), parts_.end(), has_validity)) return;
    if (const DevicePart& only = parts_.front(); parts_.size() == 1 && only.first % 32 == 0) {
      const auto bytes = (static_cast<size_t>(only.rows) + 7) / 8;
      column_.validity = in_place(only, 0, static_cast<size_t>(only.first) / 8, bytes, sizeof(uint32_t));
      if (column_.validity) return;
    }
    column_.validity = zeros(bits::words(static_cast<size_t>(column_.rows)) * sizeof(uint64_t));
    uint64_t at = 0;
    for (const DevicePart& part : parts_) {
      const auto first = static_cast<uint64_t>(part.first), count = static_cast<uint64_t>(part.rows);
      const Address from = has_validity(part) ? bytes_of(part, 0, 0, (first + count + 7) / 8) : 0;
      launch("copy_bits", (count + 31) / 32, from, first, count, column_.validity.address(), at);
      at += count;
    }
  }

  void take_values() {
    const size_t size = row_bytes(form_);
    const auto place = [&](const DevicePart& part) {
      return std::pair(static_cast<size_t>(part.first) * size, static_cast<size_t>(part.rows) * size);
    };
    if (parts_.size() == 1) {
      const auto [at, bytes] = place(parts_.front());
      column_.values = in_place(parts_.front(), 1, at, bytes, kForeignWord);
      if (column_.values) return;
    }
    column_.values = allocate(static_cast<size_t>(column_.rows) * size);
    Address to = column_.values.address();
    for (const DevicePart& part : parts_) {
      const auto [at, bytes] = place(part);
      upload_.stream.copy(to, bytes_of(part, 1, at, bytes), bytes);
      to += bytes;
    }
  }

  void spread_bits() {
    column_.values = allocate(static_cast<size_t>(column_.rows));
    Address to = column_.values.address();
    for (const DevicePart& part : parts_) {
      const auto first = static_cast<uint64_t>(part.first), count = static_cast<uint64_t>(part.rows);
      launch("spread_bits", count, bytes_of(part, 1, 0, (first + count + 7) / 8), first, count, to);
      to += count;
    }
  }

  /// Converts decimals of another width and times of another unit.
  void convert() {
    const size_t size = width(form_.type.physical());
    column_.values = allocate(static_cast<size_t>(column_.rows) * size);
    const DeviceBuffer state = zeros(sizeof(border::State));
    const bool scaled = form_.layout == Layout::kScaled;
    std::vector<DeviceBuffer> rooms(parts_.size());
    uint64_t done = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const DevicePart& part = parts_[i];
      const auto count = static_cast<uint64_t>(part.rows);
      const size_t each = row_bytes(form_);
      const Address from = aligned(part, 1, static_cast<size_t>(part.first) * each,
                                   static_cast<size_t>(count) * each, rooms[i]);
      const Address validity = column_.validity.address(), to = column_.values.address() + done * size;
      if (scaled) {
        launch("scale", count, from, uint32_t{each == 8}, count, static_cast<uint64_t>(form_.factor),
               validity, done, to, state.address());
      } else {
        launch("change_width", count, from, static_cast<uint32_t>(each / 4), count, validity, done, to,
               static_cast<uint32_t>(size / 4), state.address());
      }
      done += count;
    }
    if (read(state).fault != 0)
      refuse(field_, scaled ? "a value does not fit" : "a value has more digits than its type");
  }

  border::State read(const DeviceBuffer& state) const {
    border::State found;
    upload_.stream.copy_to_host(&found, state.address(), sizeof(found));
    upload_.stream.synchronize();
    return found;
  }

  /// The range of each part's bytes in its buffer.
  template <class Offset>
  std::vector<std::pair<uint64_t, uint64_t>> text_ranges() const {
    std::vector<Offset> ends(2 * parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      const auto first = static_cast<size_t>(parts_[i].first), rows = static_cast<size_t>(parts_[i].rows);
      const Address from = bytes_of(parts_[i], 1, first * sizeof(Offset), (rows + 1) * sizeof(Offset));
      upload_.stream.copy_to_host(&ends[2 * i], from, sizeof(Offset));
      upload_.stream.copy_to_host(&ends[2 * i + 1], from + rows * sizeof(Offset), sizeof(Offset));
    }
    upload_.stream.synchronize();
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (ends[2 * i] > ends[2 * i + 1]) refuse(field_, "string offsets must not fall");
      ranges.emplace_back(ends[2 * i], ends[2 * i + 1]);
    }
    return ranges;
  }

  template <class Offset>
  void take_texts() {
    const auto ranges = text_ranges<Offset>();
    uint64_t bytes = 0;
    for (const auto& [begin, end] : ranges) bytes += end - begin;
    take_bytes(ranges, bytes);

    const DeviceBuffer state = zeros(sizeof(border::State));
    const auto from_of = [&](const DevicePart& part, DeviceBuffer& room) {
      return aligned(part, 1, static_cast<size_t>(part.first) * sizeof(Offset),
                     (static_cast<size_t>(part.rows) + 1) * sizeof(Offset), room);
    };
    const auto move = [&](Address from, const DevicePart& part, uint64_t moved, Address to) {
      const auto rows = static_cast<uint64_t>(part.rows);
      launch("move_offsets", rows + 1, from, uint32_t{sizeof(Offset) == 8}, rows, moved, to,
             uint32_t{column_.wide_offsets}, state.address());
    };
    if (parts_.size() == 1 && ranges.front().first == 0) {
      const DevicePart& only = parts_.front();
      column_.offsets = in_place(only, 1, static_cast<size_t>(only.first) * sizeof(Offset),
                                 (static_cast<size_t>(only.rows) + 1) * sizeof(Offset), kForeignWord);
    }
    std::vector<DeviceBuffer> rooms(parts_.size());
    if (column_.offsets) {
      column_.wide_offsets = sizeof(Offset) == 8;
      move(column_.offsets.address(), parts_.front(), 0, 0);
    } else {
      column_.wide_offsets = bytes > UINT32_MAX;
      const size_t size = column_.wide_offsets ? sizeof(uint64_t) : sizeof(uint32_t);
      column_.offsets = zeros((static_cast<size_t>(column_.rows) + 1) * size);
      Address to = column_.offsets.address();
      uint64_t placed = 0;
      for (size_t i = 0; i < parts_.size(); ++i) {
        move(from_of(parts_[i], rooms[i]), parts_[i], placed - ranges[i].first, to);
        placed += ranges[i].second - ranges[i].first;
        to += static_cast<size_t>(parts_[i].rows) * size;
      }
    }
    const border::State found = read(state);
    if (found.fault != 0) refuse(field_, "string offsets must not fall");
    column_.longest = found.longest;
  }

  void take_bytes(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, uint64_t bytes) {
    if (parts_.size() == 1) {
      column_.values = in_place(parts_.front(), 2, ranges.front().first, bytes, kForeignWord);
      if (column_.values) return;
    }
    // Kernels read whole words: all bytes of the last ones are written.
    const size_t whole = bytes / kForeignWord * kForeignWord;
    column_.values = allocate(whole + kForeignWord);
    upload_.stream.fill(column_.values.address() + whole, 0, kForeignWord);
    Address to = column_.values.address();
    for (size_t i = 0; i < parts_.size(); ++i) {
      const uint64_t count = ranges[i].second - ranges[i].first;
      upload_.stream.copy(to, bytes_of(parts_[i], 2, ranges[i].first, count), count);
      to += count;
    }
  }

  const ArrowSchema& field_;
  const Form form_;
  const std::vector<DevicePart>& parts_;
  const std::shared_ptr<const void> owner_;
  const BorderKernels& kernels_;
  const DeviceUpload& upload_;
  DeviceColumn column_;
};

}  // namespace

size_t check_memory(gpu::Device& device, const ArrowSchema& field, int64_t index, const void* from,
                    size_t bytes) {
  const gpu::Allocation found = gpu::find_allocation(device, address_of(from));
  if (!found.known) {
    refuse(field, fmt::format("buffer {} is not in memory that CUDA knows", index).c_str());
  }
  if (found.device >= 0 && found.device != device.ordinal()) {
    refuse(field, fmt::format("buffer {} is in memory of GPU {}, its array says GPU {}", index, found.device,
                              device.ordinal())
                      .c_str());
  }
  const size_t there = found.bytes_from(address_of(from));
  if (there < bytes) {
    refuse(field, fmt::format("buffer {} has {} bytes up to the end of its allocation, {} are needed", index,
                              there, bytes)
                      .c_str());
  }
  return there;
}

bool is_made_on_device(const ArrowSchema& field) {
  if (field.dictionary != nullptr) return false;
  switch (form_of(field).layout) {
    case Layout::kSame:
    case Layout::kBits:
    case Layout::kDecimal:
    case Layout::kScaled:
    case Layout::kText32:
    case Layout::kText64:
      return true;
    default:
      return false;
  }
}

size_t converted_width(const ArrowSchema& field) {
  const Form form = form_of(field);
  if (form.type.is_string() || is_ours(form)) return 0;
  return width(form.type.physical());
}

std::string_view border_kernels() { return "#include \"data/gpu/arrow-inl.h\"\n"; }

DeviceColumn make_column(const ArrowSchema& field, const std::vector<DevicePart>& parts,
                         const std::shared_ptr<const void>& owner, const BorderKernels& kernels,
                         const DeviceUpload& upload) {
  return Maker(field, parts, owner, kernels, upload).run();
}

}  // namespace lanewise::arrow
