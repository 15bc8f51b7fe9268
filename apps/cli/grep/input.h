#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/memory.h"
#include "grep/decode.h"

namespace lanewise::cli::grep {

/// Whole lines of a file, each with its line end: one is added to the last line if the file lacks it. 64
/// bytes after them are readable. The memory is reused for the next block.
class Block {
 public:
  const uint8_t* text() const { return text_; }
  size_t size() const { return size_; }
  bool first = false;      ///< of its file
  bool last = false;       ///< the same
  size_t nul_after = 0;    ///< position of a NUL byte that was read after the block; 0: none
  bool added_end = false;  ///< the last line end is not in the file

  // For Input, which fills it.
  uint64_t at = 0;               ///< offset in the file
  uint8_t* start(size_t bytes);  ///< resizes the memory; its contents are unspecified
  uint8_t* grow(size_t bytes);   ///< the same, but keeps the contents
  void set(const uint8_t* text, size_t size) { text_ = text, size_ = size; }
  /// Replaces each byte `what` by `by`.
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
  bool whole = false;  ///< the whole file is one block
};

/// A file as blocks, in order. claim() returns the next one, for one thread at a time. fill() reads its
/// contents, in any thread at any time. Both throw UserError with the reason, without the file's name.
class Input {
 public:
  virtual ~Input() = default;
  virtual bool claim(Block& block) = 0;
  virtual void fill(Block& block) = 0;
};

/// Closes a descriptor when it is destroyed.
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

/// A file of `size` bytes, not 0, mapped into memory; null if that fails. The file may be closed. If it
/// shrinks meanwhile, or its disk fails, the process gets SIGBUS.
std::unique_ptr<Input> mapped_input(int file, uint64_t size, InputLimits limits = {});

/// A stream, read as its bytes arrive. `file` is closed at its end.
std::unique_ptr<Input> stream_input(Descriptor file, std::unique_ptr<ByteStream> stream,
                                    InputLimits limits = {});

}  // namespace lanewise::cli::grep
