#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// The parameters of the study of 2016: a group of m items, each with c consecutive values.
inline constexpr unsigned kGridItems[] = {64, 128, 256}, kGridValues[] = {4, 8, 16};

/// The levels of a reduction (`scan`: of inclusive prefix sums) of n random numbers of 32 bits: the naive
/// algorithm, the study's with each m and c, and Lanewise's; on all cores, with CUDA and with OpenCL. Data
/// are in the memory of the device, and each time is from the first launch to the end of the last.
std::vector<Contender> grid_levels(bool scan, uint64_t n, uint64_t seed, gpu::Device* cuda, bool opencl);

}  // namespace lanewise::cli::bench
