#include <algorithm>
#include <iterator>
#include <numeric>

#include "expr/gpu/heap-inl.h"
#include "ops/gpu/branch/branch_run.h"
#include "ops/join/gpu/probe_kernels.h"
#include "ops/run/profile.h"

/// The kernels of a branch: built, given their jobs, launched.
namespace lanewise::ops {

namespace {

constexpr std::string_view kTexts = "Strings that a kernel makes";
/// Memory for them at first: what nearly all queries get by with.
constexpr uint64_t kLeastHeap = uint64_t{1} << 20, kMostFirstHeap = uint64_t{1} << 28, kHeapOfRow = 64;

}  // namespace

/// Those that are new are compiled at once, each by a thread.
void BranchRun::add_kernels(const std::vector<codegen::KernelText>& texts) {
  for (const codegen::KernelText& text : texts) {
    const std::string source = text.text();
    if (gpu_.modules.begin(source)) awaited_.insert(source);
    making_texts_.insert(text.making_texts.begin(), text.making_texts.end());
    for (const std::string& name : text.names)
      kernels_[name] = {source, text.entry.empty() ? name : text.entry, nullptr};
  }
}

gpu::Kernel BranchRun::kernel(const std::string& name) {
  Place& place = kernels_.at(name);
  if (!place.built) {
    Stopwatch watch;
    place.built = gpu_.modules.get(place.source);
    if (awaited_.erase(place.source) != 0) {
      ++times_.modules;
      times_.compiled += place.built->cached ? 0 : 1;
      times_.module_seconds += static_cast<double>(watch.lap()) * 1e-9;
    }
  }
  return place.built->module.kernel(place.entry);
}

kernel::Job BranchRun::job() const {
  std::vector<size_t> order(held().size());
  std::iota(order.begin(), order.end(), size_t{0});
  return job(order);
}

/// With the columns in this order.
kernel::Job BranchRun::job(const std::vector<size_t>& order) const {
  const codegen::KernelBuilder& builder = this->builder();
  const codegen::JobLayout& layout = builder.layout();
  kernel::Job job{};
  job.words[codegen::JobLayout::kRows] = rows_;
  job.words[codegen::JobLayout::kActive] = active_;
  job.words[codegen::JobLayout::kFault] = fault_.address();
  job.words[codegen::JobLayout::kFirstRow] = first_;
  for (size_t place = 0; place < order.size(); ++place) builder.set_column(job, place, *held()[order[place]]);
  for (size_t match = 0; match < hits_.size(); ++match)
    job.words[layout.match(match)] = hits_[match].address();
  for (size_t probe = 0; probe < found_.size(); ++probe)
    job.words[layout.probe(probe) + codegen::JobLayout::kFound] = found_[probe].address();
  for (size_t probe = 0; probe < tables_.size(); ++probe) set_table(job, layout, probe, *tables_[probe]);
  builder.set_constants(job);
  return job;
}

/// As many as run at once, if there is something for them to do.
uint64_t BranchRun::blocks_for(const gpu::Kernel& kernel, uint64_t rows, const RowLaunch& how) const {
  const auto resident = static_cast<uint64_t>(gpu_.multiprocessors()) *
                        static_cast<uint64_t>(kernel.blocks_per_multiprocessor(how.threads, how.shared));
  const uint64_t needed = (rows + how.threads - 1) / how.threads;
  return std::clamp<uint64_t>(needed, 1, std::min(resident, most_blocks(gpu_)));
}

bool BranchRun::try_rows(const std::string& name, kernel::Job job, uint64_t rows, const RowLaunch& how) {
  const gpu::Kernel found = kernel(name);
  const bool texts = makes_texts(name);
  fault_came_ = false;
  auto& [heap, wanted] = heaps_[name];
  if (texts) {
    if (!heap) {
      const uint64_t first = std::min(kMostFirstHeap, kLeastHeap + rows * kHeapOfRow);
      heap = allocate(std::max(first, wanted), kTexts);
    }
    gpu_.stream.fill(heap.address(), 0, kernel::kHeapHead);
    job.words[codegen::JobLayout::kHeap] = heap.address();
    job.words[codegen::JobLayout::kHeapBytes] = heap.size() - kernel::kHeapHead;
  }
  const uint64_t blocks = blocks_for(found, rows, how);
  clock_.time(name, how.bytes, [&] {
    found.launch(gpu_.stream, {.blocks = blocks, .threads = how.threads, .shared = how.shared}, job);
  });
  if (!texts) return true;
  const auto used = fetch_one<uint64_t>(gpu_, heap.address()), size = uint64_t{heap.size()};
  if (used <= size - kernel::kHeapHead) return true;
  heap.reset();  // what lost strings requested is more than what they need, where rows share a piece
  wanted = std::clamp(used / 4 * 5, size * 2, size * 8);
  return false;
}

}  // namespace lanewise::ops
