#pragma once

// Compiled by NVRTC, and ahead of time for ./dev kernels: a kernel for each step of all distances.

#include "graph/kernels/distances-inl.h"

#if defined(__CUDACC__)

/// A block for each item; this many run concurrently on a multiprocessor.
#define GRAPH_TILES(name, Step, threads, blocks)                                 \
  extern "C" __global__ void __launch_bounds__(lanewise::graph::threads, blocks) \
      name(lanewise::graph::Step step) {                                         \
    step(blockIdx.x);                                                            \
  }

GRAPH_TILES(corner_int, Corner<int>, kCornerThreads, 1)
GRAPH_TILES(cross_int, Cross<int>, kTileThreads, 2)
GRAPH_TILES(others_int, Others<int>, kTileThreads, 2)
GRAPH_TILES(corner_double, Corner<double>, kCornerThreads, 1)
GRAPH_TILES(cross_double, Cross<double>, kTileThreads, 1)
GRAPH_TILES(others_double, Others<double>, kTileThreads, 1)

#endif
