#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/memory.h"
#include "grep/decode.h"

namespace lanewise::cli::grep {

/// Whole lines of a file, each with its end: the last one gets it where the file has none. 64 bytes after
/// them are readable. The memory serves one block after the other.
class Block {
 public:
  const uint8_t* text() const { return text_; }
  size_t size() const { return size_; }
  bool first = false;      ///< of its file
  bool last = false;       ///< the same
  size_t nul_after = 0;    ///< where a NUL byte is that was read and lies after the block; 0: none
  bool added_end = false;  ///< the last line's end is not in the file

  // For Input: how it is filled.
  uint64_t at = 0;               ///< the place in the file
  uint8_t* start(size_t bytes);  ///< memory for so many, their text unspecified
  uint8_t* grow(size_t bytes);   ///< the same, what was written kept
  void set(const uint8_t* text, size_t size) { text_ = text, size_ = size; }
  /// Makes `by` of each byte `what`.
  void replace(uint8_t what, uint8_t by);

 private:
  Buffer bytes_;
  const uint8_t* text_ = nullptr;
  size_t size_ = 0;
};

struct InputLimits {
  size_t block_bytes = size_t{1} << 20;      ///< read at once
  size_t longest_line = size_t{4000} << 20;  ///< bytes; a longer one is a UserError
  char line_end = '\n';
  bool whole = false;  ///< all of the file is one block
};

/// A file as blocks, in order. claim() says which is next: one thread at a time. fill() brings its text, by
/// any thread at any time. Both throw UserError with the reason, without the file's name.
class Input {
 public:
  virtual ~Input() = default;
  virtual bool claim(Block& block) = 0;
  virtual void fill(Block& block) = 0;
};

/// Closes a descriptor at its end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }
  int get() const { return number_; }
  void close();  ///< standard input stays open

 private:
  int number_;
};

/// A file of `size` bytes, not 0, by its pages in memory; null where they cannot be had. The file may be
/// closed. If it shrinks meanwhile, or its disk fails, the signal SIGBUS says so.
std::unique_ptr<Input> mapped_input(int file, uint64_t size, InputLimits limits = {});

/// What comes when it comes. `file` is closed when it has ended.
std::unique_ptr<Input> stream_input(Descriptor file, std::unique_ptr<ByteStream> stream,
                                    InputLimits limits = {});

}  // namespace lanewise::cli::grep
