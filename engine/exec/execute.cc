#include "exec/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "exec/cores/pipeline_runner.h"
#include "exec/gpu/run_on_device.h"
#include "exec/placement/kept_rows.h"
#include "exec/placement/known_kernels.h"
#include "exec/placement/placement.h"
#include "exec/recursion/recursion.h"
#include "ops/gpu/branch/fault_of_pair.h"
#include "ops/join/gpu/join_table.h"
#include "ops/results/results.h"
#include "ops/results/row_stream.h"
#include "plan/pipeline/pipeline.h"
#include "primitives/parallel.h"

namespace lanewise::exec {

namespace {

/// Opens and runs the pipelines of a plan, one after the other.
class Execution {
 public:
  Execution(const plan::Node& root, const ops::Options& options, ops::RowStream* stream = nullptr)
      : options_(options),
        stream_(stream),
        lines_(lines_of(root)),
        counters_(lines_.size()),
        pipelines_(split(root)),
        results_(empty_results(pipelines_)) {
    last_use_.resize(pipelines_.size());
    for (size_t i = 0; i < pipelines_.size(); ++i)
      for (const size_t read : results_read(pipelines_[i])) last_use_[read] = i;
    if (!options.accelerator) return;
    // A build side that a device made is made again where the host needs it, too.
    for (size_t i = pipelines_.size(); i-- > 0;) {
      if (!is_build(pipelines_[i])) continue;
      for (const size_t read : results_read(pipelines_[i]))
        last_use_[read] = std::max(last_use_[read], last_use_[i]);
    }
  }

  Result run() {
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      if (!pass_on_kept(i) && !run_on_accelerator(i)) on_cores_.run(i, counters_);
      results_[i].table.schema = pipelines_[i].output;
      if (sink_is_operator(pipelines_[i])) {
        counters_[pipelines_[i].line].rows_out += static_cast<uint64_t>(results_[i].rows());
      }
      for (size_t used = 0; used < i; ++used) {
        if (last_use_[used] == i) results_[used] = ops::PipelineResult();
      }
    }
    Result result;
    result.table = std::move(results_.back().table);
    result.kept = std::move(results_.back().kept);
    if (stream_ != nullptr) pass_on(result.table.batches, *stream_);
    result.profile = make_profile(lines_, counters_, key_notes_, options_);
    for (const auto& [line, note] : notes_) result.profile[line].details += note;
    for (auto& [line, notes] : device_notes_) result.profile[line].device = std::move(notes);
    for (const auto& [line, seconds] : kernel_seconds_) result.profile[line].kernel_seconds = seconds;
    for (const auto& [line, name] : on_device_) result.profile[line].target = name;
    result.from_hot_columns = on_cores_.all_hot();
    return result;
  }

 private:
  /// Adds the batches to the stream and releases each as it is taken.
  static void pass_on(std::vector<Batch>& batches, ops::RowStream& stream) {
    ops::RowStream::Writer writer(stream);
    writer.begin(0);
    for (Batch& batch : std::exchange(batches, {})) writer.add(std::move(batch));
  }

  /// The place of a build side that the pipeline reads and that only a device has; else the host.
  Place place_read(const plan::Pipeline& pipeline) const {
    for (const size_t read : results_read(pipeline)) {
      const ops::PipelineResult& result = results_[read];
      if (result.on_device != nullptr && result.build == nullptr) return result.on_device->gpu().place();
    }
    return kHost;
  }

  /// Whether the pipeline can run on a device.
  bool is_offered(size_t pipeline) {
    auto [known, is_new] = offered_.try_emplace(pipeline);
    if (is_new) known->second = not_on_device(pipelines_[pipeline], results_).empty();
    return known->second;
  }

  /// Destination of the rows of a pipeline on a device.
  ops::Goal goal_of(size_t i, Place place) {
    if (options_.keep_on_device && may_keep(pipelines_, i)) return ops::Goal::kResult;
    if (is_build(pipelines_[i])) return ops::Goal::kHost;
    const std::vector<size_t> fed = pipelines_fed(pipelines_, i);
    const auto stay = [&](size_t reader) {
      if (!options_.device_only) return placement_.place_of(reader) == place;
      return !merges_parts(pipelines_[reader]) && is_offered(reader);
    };
    return !fed.empty() && std::ranges::all_of(fed, stay) ? ops::Goal::kLaterPipelines : ops::Goal::kHost;
  }

  /// Takes the result from the pipeline before, if that is on the device.
  bool pass_on_kept(size_t i) {
    const plan::Pipeline& pipeline = pipelines_[i];
    const auto columns = columns_passed_on(pipeline);
    if (!columns) return false;
    const size_t before = *pipeline_read(pipeline.branches[0]);
    if (results_[before].kept == nullptr) return false;
    results_[i].kept = std::make_shared<const arrow::DeviceRecords>(results_[before].kept, *columns);
    for (const plan::StepSpec& step : pipeline.branches[0].steps) {
      counters_[step.line].rows_in += static_cast<uint64_t>(results_[i].kept->rows());
      counters_[step.line].rows_out += static_cast<uint64_t>(results_[i].kept->rows());
      on_device_[step.line] = on_device_.at(pipelines_[before].line);
    }
    return true;
  }

  /// Runs a pipeline on a GPU, if it belongs there.
  bool run_on_accelerator(size_t i) {
    const plan::Pipeline& pipeline = pipelines_[i];
    if (!options_.accelerator || merges_parts(pipeline)) return false;
    const auto in_parts = [&](size_t read) { return results_[read].parts != nullptr; };
    if (std::ranges::any_of(results_read(pipeline), in_parts)) return false;
    const auto is_empty = [&](const plan::Branch& branch) { return on_cores_.gives_no_rows(branch); };
    if (std::ranges::all_of(pipeline.branches, is_empty)) return false;
    const auto choice = [&] {
      const Place read = options_.device_only ? place_read(pipeline) : kHost;
      return read.is_host() ? placement_.choose(i) : Choice{.place = read};
    };
    Choice chosen = choice();
    if (chosen.on_device() && !options_.device_only && !placement_.is_open(chosen.place)) {
      options_.accelerator(chosen.place);
      chosen = choice();  // now that it is known
    }
    if (!options_.device_only) notes_[pipeline.line] += "; " + chosen.text();
    if (!chosen.on_device()) return false;
    ops::Accelerator* gpu = options_.accelerator(chosen.place);
    if (gpu == nullptr) return false;
    const std::vector<ops::Counters> before = counters_;
    // Nothing is left of what the GPU did: the CPU begins again.
    const auto leave_to_host = [&](const char* reason) {
      counters_ = before;
      notes_[pipeline.line] += fmt::format("; then on the CPU: {}", reason);
      return false;
    };
    DeviceResult made;
    try {
      made = run_or_bring(i, *gpu);
    } catch (const ops::FaultOfPair& reason) {
      return leave_to_host(reason.what());
    } catch (const expr::NotOnDevice& reason) {
      if (!options_.device_only) return leave_to_host(reason.what());
      throw UserError(
          fmt::format("{}; --device auto leaves such parts of a query to the CPU", reason.what()));
    } catch (const MemoryError& reason) {
      if (!options_.device_only) return leave_to_host(reason.what());
      throw;
    }
    results_[i].table = std::move(made.table);
    results_[i].on_device = std::move(made.build);
    results_[i].left = std::move(made.left);
    results_[i].kept = std::move(made.kept);
    device_notes_[pipeline.line] = std::move(made.notes);
    for (const auto& [join, notes] : made.keys)
      for (const std::string& note : notes) key_notes_[join].push_back(note);
    kernel_seconds_[pipeline.line] = made.kernel_seconds;
    if (made.modules != 0)
      note_compiled(pipeline, results_, options_.device_strategy, gpu->device.properties().name);
    on_device_[pipeline.line] = gpu->name();
    for (const plan::Branch& branch : pipeline.branches) {
      if (branch.line != plan::kNoLine) on_device_[branch.line] = gpu->name();
      for (const plan::StepSpec& step : branch.steps) on_device_[step.line] = gpu->name();
    }
    return true;
  }

  /// What pipelines left on another device goes to the host first, and where this one has no room, what they
  /// left there.
  DeviceResult run_or_bring(size_t i, ops::Accelerator& gpu) {
    for (const size_t read : results_read(pipelines_[i])) {
      ops::PipelineResult& result = results_[read];
      if (result.left && result.left->gpu != &gpu) result.bring(options_.budget);
    }
    const std::vector<ops::Counters> before = counters_;
    try {
      return run_on_device(pipelines_[i], results_, options_, gpu, counters_, goal_of(i, gpu.place()));
    } catch (const MemoryError&) {
      bool any = false;
      for (ops::PipelineResult& result : results_) any |= result.bring(options_.budget);
      if (!any) throw;
    }
    counters_ = before;
    return run_on_device(pipelines_[i], results_, options_, gpu, counters_);
  }

  const ops::Options& options_;
  ops::RowStream* const stream_;  // null: the rows are collected
  std::vector<plan::Line> lines_;
  std::vector<ops::Counters> counters_;
  std::vector<plan::Pipeline> pipelines_;
  ops::Results results_;
  Placement placement_{pipelines_, results_, options_};
  std::vector<size_t> last_use_;
  std::unordered_map<size_t, bool> offered_;  // pipelines that were considered, as far as was known then
  PipelineRunner::Notes notes_;
  ops::KeyNotes key_notes_;
  PipelineRunner on_cores_{pipelines_, results_, options_, notes_, key_notes_, stream_};
  std::unordered_map<size_t, std::vector<std::string>> device_notes_;
  std::unordered_map<size_t, double> kernel_seconds_;
  std::unordered_map<size_t, std::string> on_device_;  // of lines: the device that ran them
};

}  // namespace

Result execute(const plan::NodePtr& root, const ops::Options& options, ops::RowStream* stream) {
  try {
    return with_threads(options.threads, [&] {
      ops::Options of_parts = options;
      of_parts.keep_on_device = false;
      const auto rows = [&](const plan::NodePtr& part) { return Execution(*part, of_parts).run().table; };
      const plan::NodePtr plain = without_recursion(root, rows, options.budget, options.cancellation);
      return Execution(*plain, options, stream).run();
    });
  } catch (const std::bad_alloc&) {
    throw MemoryError("the system has no memory left for this query; lower --memory-limit or --threads");
  }
}

}  // namespace lanewise::exec
