#pragma once

#include "primitives/kernels.h"
#include "primitives/pair_kernels.h"

/// One table per type and target; each target's file defines its own.
namespace lanewise::kernels {

/// The kernels of every type.
struct Tables {
  Kernels<int8_t> i8;
  Kernels<int16_t> i16;
  Kernels<int32_t> i32;
  Kernels<int64_t> i64;
  Kernels<uint8_t> u8;
  Kernels<uint16_t> u16;
  Kernels<uint32_t> u32;
  Kernels<uint64_t> u64;
  Kernels<float> f32;
  Kernels<double> f64;
  BitKernels bits;
  PairKernels pairs;
};

extern const Tables kBranchingTables;
extern const Tables kScalarTables;
extern const Tables kAutoTables;
extern const Tables kEmulatedTables;
#if defined(__x86_64__)
extern const Tables kAvx2Tables;
extern const Tables kAvx512Tables;
#elif defined(__aarch64__)
extern const Tables kNeonTables;
#endif

}  // namespace lanewise::kernels
