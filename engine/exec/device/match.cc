#include "exec/device/match.h"

#include "base/bits.h"
#include "exec/device/match-inl.h"
#include "lanes/renumbered.h"
#include "text/compiled_pattern.h"

namespace lanewise::exec {

namespace {

constexpr unsigned kBytes = 256;
/// Lanes take new rows at once: best for all lengths of rows on an H200 (docs/decisions/0001-lanes.md).
constexpr uint32_t kRefillBelow = 32;

lanes::AutomatonView automaton_of(const text::Pattern& pattern) {
  return pattern.compiled().automaton()->view();
}

/// next[state * 256 + byte] with the dead state first, padded to multiples of 16 bytes.
template <class Cell>
std::vector<Cell> table_of(const lanes::AutomatonView& automaton) {
  const lanes::Renumbered order{automaton};
  std::vector<Cell> next(size_t{automaton.states} * kBytes);
  for (unsigned state = 0; state < automaton.states; ++state) {
    for (unsigned byte = 0; byte < kBytes; ++byte) {
      const unsigned to = automaton.next[state * automaton.classes + automaton.class_of[byte]];
      next[size_t{order.to_new(state)} * kBytes + byte] = static_cast<Cell>(order.to_new(to));
    }
  }
  return next;
}

template <class Cell>
device::DeviceBuffer upload(const std::vector<Cell>& cells, Accelerator& gpu) {
  const size_t bytes = cells.size() * sizeof(Cell);
  device::DeviceBuffer buffer = gpu.pool.allocate(bytes, gpu.stream, "A pattern's automaton");
  gpu.staging.upload(buffer.address(), cells.data(), bytes, gpu.stream);
  return buffer;
}

}  // namespace

bool fits_shared(const text::Pattern& pattern) { return automaton_of(pattern).states <= kBytes; }

MatchTable::MatchTable(const text::Pattern& pattern, Accelerator& gpu) {
  const lanes::AutomatonView automaton = automaton_of(pattern);
  const bool shared = fits_shared(pattern);
  table_ = shared ? upload(table_of<uint8_t>(automaton), gpu) : upload(table_of<uint16_t>(automaton), gpu);
  shared_bytes_ = shared ? table_.size() : 0;
  verdicts_ = lanes::Renumbered{automaton}.verdicts(1);
}

void MatchTable::run(const device::Kernel& kernel, const DeviceColumn& column, device::cuda::Address active,
                     device::cuda::Address hits, Accelerator& gpu) const {
  const auto rows = static_cast<uint64_t>(column.rows);
  gpu.stream.fill(hits, 0, bits::words(rows) * sizeof(uint64_t));
  if (rows == 0) return;
  const kernel::MatchJob job{rows,
                             column.offsets.address(),
                             column.values.address(),
                             active,
                             hits,
                             table_.address(),
                             static_cast<uint32_t>(shared_bytes_),
                             kRefillBelow,
                             verdicts_};
  const auto blocks =
      static_cast<uint64_t>(gpu.multiprocessors()) *
      static_cast<uint64_t>(kernel.blocks_per_multiprocessor(kernel::kMatchThreads, shared_bytes_));
  kernel.launch(gpu.stream, {.blocks = blocks, .threads = kernel::kMatchThreads, .shared = shared_bytes_},
                job);
}

}  // namespace lanewise::exec
