#include "exec/placement/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/gpu/device_rows.h"
#include "exec/gpu/run_on_device.h"
#include "exec/placement/work.h"
#include "gpu/modules/kernel_cache.h"

namespace lanewise::exec {

namespace {

/// A result of at most this many rows, which is in host memory, is always processed on the host.
constexpr double kRowsForHost = 1 << 16;

/// Whether it reads only small results of earlier pipelines.
bool is_small(const Pipeline& pipeline, const std::vector<double>& result_rows) {
  double rows = 0;
  for (const Branch& branch : pipeline.branches) {
    const std::optional<size_t> read = pipeline_read(branch);
    if (!read) return false;
    rows += result_rows[*read];
  }
  return rows <= kRowsForHost;
}

/// The key under which the kernel cache notes a pipeline's kernels, for a GPU of this name; without a name,
/// for any GPU.
std::string kernels_key(const std::string& kernels, const std::string& gpu) {
  return fmt::format("compiled for {}: {}", gpu, kernels);
}

Kernels find_kernels(const Pipeline& pipeline, const Results& results, const Strategy& strategy,
                     const DeviceView& view) {
  if (is_compiled_ahead(pipeline, results, strategy, view.architecture)) return Kernels::kAhead;
  const std::string key = kernels_key(kernels_name(pipeline, results, strategy), view.costs.name);
  return gpu::KernelCache::system().find(key) ? Kernels::kCached : Kernels::kToCompile;
}

}  // namespace

std::string Choice::text() const {
  if (!reason.empty()) return fmt::format("on the {}: {}", on_device ? "GPU" : "CPU", reason);
  const std::string here = duration(host.seconds()), there = duration(device.seconds());
  return on_device
             ? fmt::format("on the GPU: about {}, on the CPU {}", there, here)
             : fmt::format("on the CPU: about {}, on the GPU {}{}", here, there, at_least ? " or more" : "");
}

std::string Choice::device_text() const {
  constexpr const char* kKernels[] = {"", "; kernels to be compiled", "; kernels in the cache",
                                      "; kernels compiled ahead"};
  return to_string(device) + kKernels[static_cast<int>(kernels)];
}

Choice choose(const Pipeline& pipeline, const Results& results, const std::vector<double>& result_rows,
              const Options& options, Thoroughness thoroughness) {
  const bool explains = thoroughness == Thoroughness::kExplain;
  const bool small = is_small(pipeline, result_rows);
  const DeviceView view = options.device_view ? options.device_view() : DeviceView();
  Choice choice;
  choice.on_device = options.device_only && !small;
  if (small) {
    choice.reason = "it reads a result of few rows";
  } else if (options.device_only) {
    choice.reason = "no other device was requested";
  } else {
    choice.reason = view.missing;
  }
  const bool decided = !choice.reason.empty();
  if (decided && !explains) return choice;

  Known known{result_rows, {}, options.store};
  for (const PipelineResult& result : results) known.left.push_back(result.left.has_value());
  known.resident = [&view](const Source& source, size_t column, int64_t rows) {
    const DeviceRows* there = source.device_rows();
    if (there != nullptr && there->device() == view.ordinal && there->has(column)) return true;
    Accelerator* const gpu = view.opened;
    return gpu != nullptr && !gpu->store.parts_of(source.identity(), column, rows, gpu->batch_rows).empty();
  };
  choice.work = work_of(pipeline, known);
  choice.host = estimate_host(choice.work, options.host_rates, view.costs);
  DeviceState state{.open = view.opened != nullptr, .compiled = true};
  const auto is_faster = [&] {
    choice.device = estimate_device(choice.work, view.costs, state);
    return choice.device.seconds() < choice.host.seconds();
  };
  choice.at_least = true;
  if (!is_faster() && !explains) return choice;  // without checking what it would compile
  choice.at_least = false;

  const std::string lacking = not_on_device(pipeline, results);
  if (lacking.empty()) {
    choice.kernels = find_kernels(pipeline, results, options.device_strategy, view);
    state.compiled = choice.kernels != Kernels::kToCompile;
  } else if (!small) {
    choice.reason = options.device_only ? lacking + ": an error" : lacking;
  }
  const bool faster = is_faster();
  if (!decided) choice.on_device = faster && lacking.empty();
  return choice;
}

void note_compiled(const Pipeline& pipeline, const Results& results, const Options& options) {
  if (!options.device_view) return;
  const std::string kernels = kernels_name(pipeline, results, options.device_strategy);
  const gpu::KernelCache& cache = gpu::KernelCache::system();
  for (const std::string& gpu : {options.device_view().costs.name, std::string()}) {
    if (const std::string key = kernels_key(kernels, gpu); !cache.find(key)) cache.store(key, "");
  }
}

}  // namespace lanewise::exec
