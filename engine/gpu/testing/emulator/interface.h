#pragma once

/// The interface between an emulated kernel and the emulated driver. Built-in types only: kernels include it
/// too.
namespace lanewise::emulator {

struct Extent {
  unsigned x, y, z;
};

/// A thread of a kernel, with its CUDA indexes.
struct Place {
  Extent thread, block, threads, blocks;  ///< threadIdx, blockIdx, blockDim, gridDim
  unsigned char* shared;                  ///< the block's dynamic shared memory
};

/// Operations of the lanes of a warp together.
enum class Exchange {
  kVote,  ///< returns the lanes whose value is not 0, as bits
  kRead,  ///< returns the value of lane `source` if it takes part, else the lane's own
  kSum,
  kUnion,
  kLeast,
};

/// What a kernel calls in the driver.
struct Services {
  const Place& (*place)();
  /// Waits for the block's threads; returns how many of their values are not 0.
  int (*meet)(bool value);
  /// Waits for the lanes of `mask` that have not ended.
  unsigned long long (*exchange)(Exchange what, unsigned mask, unsigned long long value, unsigned source);
  /// Waits until no thread of the block can continue; returns the lanes that wait where it was called.
  unsigned (*gather)();
};

}  // namespace lanewise::emulator
