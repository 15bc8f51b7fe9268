#include "ops/gpu/branch/row_list.h"

#include "codegen/compact-inl.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kListing = "Rows of a list";

/// The set bits of a bitmap: how many there are, and before each of its tiles.
struct BitCount {
  BitCount(BranchRun& run, Accelerator& gpu, gpu::cuda::Address bitmap, uint64_t rows)
      : words(tiles_of(rows, 32)), tiles(tiles_of(words, kernel::kTileWords)) {
    starts = run.allocate((tiles + 1) * sizeof(uint64_t), kListing);
    run.launch("count_tiles", tiles, bitmap, words, starts.address());
    run.launch("scan_tiles", 1, starts.address(), tiles);
    all = fetch_one<uint64_t>(gpu, starts.address() + tiles * sizeof(uint64_t));
  }
  uint64_t words, tiles, all;
  gpu::DeviceBuffer starts;
};

}  // namespace

RowList list_rows(BranchRun& run, Accelerator& gpu, gpu::cuda::Address bitmap, uint64_t rows) {
  const BitCount bits(run, gpu, bitmap, rows);
  RowList list{run.allocate(bits.all * sizeof(uint32_t), kListing), bits.all};
  if (list.count != 0)
    run.launch("list_rows", bits.tiles, bitmap, bits.words, bits.starts.address(), list.rows.address());
  return list;
}

uint64_t count_rows(BranchRun& run, Accelerator& gpu, gpu::cuda::Address bitmap, uint64_t rows) {
  return BitCount(run, gpu, bitmap, rows).all;
}

RowList list_left(BranchRun& run, Accelerator& gpu) {
  run.filter_by_last();
  return run.active() != 0 ? list_rows(run, gpu, run.active(), run.rows()) : RowList{{}, run.rows()};
}

}  // namespace lanewise::ops
