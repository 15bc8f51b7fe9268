// The searches and changes of an index as they are compiled at run time (search_kernels.h, update_kernels.h),
// for default nodes and values of 4 bytes.

#include "index/gpu/update/update_warp-inl.h"

using namespace lanewise::index;

#define SEARCH(name, operation, team, way, ...)                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name(TreeAt at, Job job) { \
    run<operation, team, way>(FixedTree<__VA_ARGS__>(at), job);                          \
  }

#define SEARCHES(type, ...)                                                       \
  SEARCH(find_thread_##type, Find, Tiles<1>, Down<ByLines>, __VA_ARGS__)          \
  SEARCH(find_tile_##type, Find, Tiles<4>, Down<ByLines>, __VA_ARGS__)            \
  SEARCH(find_block_##type, Find, Blocks, Down<ByKeys>, __VA_ARGS__)              \
  SEARCH(find_stored_##type, Find, Tiles<4>, Stored<ByLines>, __VA_ARGS__)        \
  SEARCH(bound_thread_##type, Bound, Tiles<1>, Down<ByLines>, __VA_ARGS__)        \
  SEARCH(bound_tile_##type, Bound, Tiles<8>, Down<ByLines>, __VA_ARGS__)          \
  SEARCH(bound_block_##type, Bound, Blocks, Down<ByKeys>, __VA_ARGS__)            \
  SEARCH(range_thread_##type, Range, Tiles<1>, Down<ByLines>, __VA_ARGS__)        \
  SEARCH(range_tile_##type, Range, Tiles<4>, Down<ByLines>, __VA_ARGS__)          \
  SEARCH(pick_##type, Pick, Tiles<8>, Down<ByLines>, __VA_ARGS__)                 \
  SEARCH(range_block_##type, Range, Blocks, Down<ByKeys>, __VA_ARGS__)            \
  SEARCH(node_keys_##type, OneNode<ByKeys>, Blocks, Stored<ByLines>, __VA_ARGS__) \
  SEARCH(node_segments_##type, OneNode<BySegments>, Blocks, Stored<ByLines>, __VA_ARGS__)

SEARCHES(u32, u32, KeyForm::words, 256, 255, 4, 3)
SEARCHES(i64, u64, KeyForm::integers, 128, 127, 4, 3)
SEARCHES(f64, u64, KeyForm::reals, 128, 127, 4, 3)

SEARCH(find_texts, Find, Tiles<4>, Down<ByParts<ByLines>>, u64, KeyForm::words, 128, 127, 4, 3, 2, true)
SEARCH(bound_wide, Bound, Tiles<8>, Down<ByParts<ByLines>>, u64, KeyForm::words, 128, 127, 4, 3, 3)
SEARCH(texts, TextOf, Tiles<4>, Down<ByParts<ByLines>>, u64, KeyForm::words, 128, 127, 4, 3, 2, true)

#define STEP(name, body, ...)                                                                             \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name(TreeAt at, UpdateJob job, u64 items) { \
    body(FixedTree<__VA_ARGS__, 0>(at), job, items);                                                      \
  }

#define STEPS(type, ...)                                                       \
  STEP(resolve_##type, run_lanes<Resolve>, __VA_ARGS__)                        \
  STEP(outputs_##type, run_lanes<Outputs>, __VA_ARGS__)                        \
  STEP(keep_##type, (run_crews<Keep, 32>), __VA_ARGS__)                        \
  STEP(produce_##type, (run_crews<Produce, 32>), __VA_ARGS__)                  \
  STEP(produce_block_##type, (run_crews<Produce, kBlockThreads>), __VA_ARGS__) \
  STEP(inner_##type, (run_crews<Inner, 32>), __VA_ARGS__)                      \
  STEP(runs_##type, run_scan<Places<Runs>>, __VA_ARGS__)

STEPS(u32, u32, KeyForm::words, 256, 255, 4)
STEPS(i64, u64, KeyForm::integers, 128, 127, 4)
