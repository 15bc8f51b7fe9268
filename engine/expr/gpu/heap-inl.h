#pragma once

#include "data/kernels/values-inl.h"

/// Memory for strings that a kernel makes: one block, of which threads take pieces.
namespace lanewise::kernel {

/// What the block begins with: how many bytes were requested. Where that exceeds its capacity, strings are
/// lost, and the kernel is to run again with more.
inline constexpr u64 kHeapHead = 8;

/// Writes the text; what follows it.
LANES_FN u8* copied(u8* to, Text text) {
  for (u64 i = 0; i < text.size; i++) to[i] = text.at[i];
  return to + text.size;
}

/// A thread's part of it.
class Heap {
 public:
  /// For a block with room for `capacity` bytes after its head.
  LANES_FN Heap(u8* block, u64 capacity) : block_(block), capacity_(capacity) {}

  /// Room for this many bytes, or null.
  LANES_FN u8* reserve(u64 bytes) {
    const u64 needed = padded(bytes);
    if (needed > left_) take(needed);
    return needed > left_ ? nullptr : next_;
  }
  /// Returns the first `bytes` bytes of the last reservation, zero-padded to 8, as readers load words of 8
  /// bytes.
  LANES_FN Text made(u64 bytes) {
    const Text text{next_, bytes};
    const u64 end = padded(bytes);
    for (u64 i = bytes; i < end; i++) next_[i] = 0;
    next_ += end;
    left_ -= end;
    return text;
  }
  /// Frees all strings, which belong to the previous row.
  LANES_FN void rewind() {
    left_ += u64(next_ - first_);
    next_ = first_;
  }
  /// Whether there was too little memory for a string.
  LANES_FN bool lost() const { return lost_; }

 private:
  static constexpr u64 kPiece = 256;

  static LANES_FN u64 padded(u64 bytes) { return (bytes + 7) / 8 * 8; }
  LANES_FN void take(u64 bytes) {
    const u64 wanted = bytes > kPiece || lost_ ? bytes : kPiece;
#if defined(__CUDACC__)
    const u64 at = atomicAdd(reinterpret_cast<unsigned long long*>(block_), wanted);
#else
    u64& used = *reinterpret_cast<u64*>(block_);
    const u64 at = used;
    used += wanted;
#endif
    lost_ |= at + wanted > capacity_;
    first_ = next_ = block_ + kHeapHead + (lost_ ? 0 : at);
    left_ = lost_ ? 0 : wanted;
  }

  u8* block_;
  u64 capacity_;
  u8* first_ = nullptr;  // of the piece
  u8* next_ = nullptr;
  u64 left_ = 0;
  bool lost_ = false;
};

}  // namespace lanewise::kernel
