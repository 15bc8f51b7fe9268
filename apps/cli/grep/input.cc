#include "grep/input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/size.h"

namespace lanewise::cli::grep {

namespace {

constexpr size_t kPage = 4096;             // bytes; it may be smaller than the system's page
constexpr size_t kKeep = size_t{4} << 20;  // a larger buffer is freed before the next block

void check_line(size_t bytes, const InputLimits& limits) {
  if (bytes > limits.longest_line)
    throw UserError("a line is longer than " + format_size(limits.longest_line));
}

/// Blocks of a mapped file. A line belongs to the block in which it begins, so blocks are found
/// independently.
class MappedInput final : public Input {
 public:
  MappedInput(const uint8_t* text, size_t size, InputLimits limits)
      : text_(text), size_(size), limits_(limits) {
    if (limits_.whole) limits_.block_bytes = size;
  }
  MappedInput(const MappedInput&) = delete;
  MappedInput& operator=(const MappedInput&) = delete;
  ~MappedInput() override { ::munmap(const_cast<uint8_t*>(text_), size_); }

  bool claim(Block& block) override {
    if (ended_ || size_ == 0) return false;
    next_ = std::max(next_, long_line_end_.load());
    block.at =
        std::min<uint64_t>(next_, size_);  // if a line ends with the file, an empty block marks the end
    block.first = next_ == 0;
    block.added_end = false;
    next_ += limits_.block_bytes;
    block.last = ended_ = next_ >= size_;
    return true;
  }

  void fill(Block& block) override {
    size_t begin = block.at, end = std::min<size_t>(begin + limits_.block_bytes, size_);
    if (begin > 0 && text_[begin - 1] != limits_.line_end) begin = behind_newline(begin, end);
    if (begin == end) return block.set(text_, 0);
    if (text_[end - 1] != limits_.line_end) {
      end = behind_newline(end, size_);
      check_line(end - block.at - std::min(end - block.at, limits_.block_bytes), limits_);
      uint64_t known = long_line_end_;
      while (known < end && !long_line_end_.compare_exchange_weak(known, end)) {
      }
    }
    const bool readable = size_ - end >= kPadding || -size_ % kPage >= kPadding;
    if (readable && text_[end - 1] == limits_.line_end) return block.set(text_ + begin, end - begin);
    uint8_t* copy = block.start(end - begin);  // nothing after the file's end can be read
    std::memcpy(copy, text_ + begin, end - begin);
    if (text_[end - 1] != limits_.line_end) {
      copy[end++ - begin] = static_cast<uint8_t>(limits_.line_end);
      block.added_end = true;
    }
    block.set(copy, end - begin);
  }

 private:
  /// The position after the first newline of [from, to), or `to`.
  size_t behind_newline(size_t from, size_t to) const {
    const void* newline = std::memchr(text_ + from, limits_.line_end, to - from);
    return newline == nullptr ? to : static_cast<size_t>(static_cast<const uint8_t*>(newline) - text_) + 1;
  }

  const uint8_t* text_;
  size_t size_;
  InputLimits limits_;
  uint64_t next_ = 0;
  bool ended_ = false;                       // the last block was claimed
  std::atomic<uint64_t> long_line_end_ = 0;  // no line begins between the block where this one does and here
};

/// Blocks of a stream; an incomplete last line is kept for the next block.
class StreamInput final : public Input {
 public:
  StreamInput(Descriptor file, std::unique_ptr<ByteStream> stream, InputLimits limits)
      : file_(std::move(file)), stream_(std::move(stream)), limits_(limits) {}

  bool claim(Block& block) override {
    if (ended_) return false;
    block.first = first_;
    first_ = false;
    block.last = block.added_end = false;
    block.nul_after = 0;
    size_t size = rest_.size();
    uint8_t* bytes = block.start(size + limits_.block_bytes);
    std::memcpy(bytes, rest_.data(), size);
    rest_.clear();
    for (;;) {
      bytes = block.grow(size + limits_.block_bytes);
      const size_t got = stream_->read(bytes + size, limits_.block_bytes);
      if (got == 0) {
        ended_ = block.last = true;
        file_.close();
        if (size > 0) {
          block.added_end = bytes[size - 1] != limits_.line_end;
          if (block.added_end) bytes[size++] = static_cast<uint8_t>(limits_.line_end);
        }
        block.set(bytes, size);
        return true;
      }
      const void* newline = limits_.whole ? nullptr : memrchr(bytes + size, limits_.line_end, got);
      size += got;
      if (newline != nullptr) {
        const size_t end = static_cast<size_t>(static_cast<const uint8_t*>(newline) - bytes) + 1;
        rest_.assign(reinterpret_cast<const char*>(bytes) + end, size - end);
        const size_t nul = rest_.find('\0');
        block.nul_after = nul == std::string::npos ? 0 : end + nul;
        block.set(bytes, end);
        return true;
      }
      check_line(size, limits_);
    }
  }

  void fill(Block&) override {}

 private:
  Descriptor file_;
  std::unique_ptr<ByteStream> stream_;
  InputLimits limits_;
  std::string rest_;
  bool first_ = true;
  bool ended_ = false;
};

}  // namespace

uint8_t* Block::start(size_t bytes) {
  if (bytes_.size() > kKeep) bytes_ = Buffer();
  return grow(bytes);
}

void Block::replace(uint8_t what, uint8_t by) {
  if (bytes_.data() == nullptr || text_ < bytes_.data() || text_ >= bytes_.data() + bytes_.size()) {
    const uint8_t* from = text_;
    uint8_t* copy = start(size_);
    std::memcpy(copy, from, size_);
    text_ = copy;
  }
  auto* text = const_cast<uint8_t*>(text_);
  std::replace(text, text + size_, what, by);
}

uint8_t* Block::grow(size_t bytes) {
  bytes += 1;  // the last line's \n
  if (bytes > bytes_.size()) {
    Buffer larger = Buffer::allocate(std::max(bytes, 2 * bytes_.size()), nullptr, "grep");
    if (bytes_) std::memcpy(larger.mutable_data(), bytes_.data(), bytes_.size());
    bytes_ = std::move(larger);
  }
  return bytes_.mutable_data();
}

void Descriptor::close() {
  if (number_ > STDIN_FILENO) ::close(number_);
  number_ = -1;
}

std::unique_ptr<Input> mapped_input(int file, uint64_t size, InputLimits limits) {
  void* text = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (text == MAP_FAILED) return nullptr;
  return std::make_unique<MappedInput>(static_cast<const uint8_t*>(text), size, limits);
}

std::unique_ptr<Input> stream_input(Descriptor file, std::unique_ptr<ByteStream> stream, InputLimits limits) {
  return std::make_unique<StreamInput>(std::move(file), std::move(stream), limits);
}

}  // namespace lanewise::cli::grep
