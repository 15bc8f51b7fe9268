#pragma once

/// What an emulated kernel and the emulated driver know of each other. C++'s own types alone: kernels see it
/// too.
namespace lanewise::emulator {

struct Extent {
  unsigned x, y, z;
};

/// A thread of a kernel, with its indexes in CUDA.
struct Place {
  Extent thread, block, threads, blocks;  ///< threadIdx, blockIdx, blockDim, gridDim
  unsigned char* shared;                  ///< the block's dynamic shared memory
};

/// What lanes of a warp do together.
enum class Exchange {
  kVote,  ///< gives the lanes whose value is not 0, as bits
  kRead,  ///< gives the value of the lane `source`, where that takes part, else the own
  kSum,
  kUnion,
  kLeast,
};

/// What a kernel calls in the driver.
struct Services {
  const Place& (*place)();
  /// Waits for the block's threads; gives how many of their values are not 0.
  int (*meet)(bool value);
  /// Waits for the lanes of `mask` that have not ended.
  unsigned long long (*exchange)(Exchange what, unsigned mask, unsigned long long value, unsigned source);
};

}  // namespace lanewise::emulator
