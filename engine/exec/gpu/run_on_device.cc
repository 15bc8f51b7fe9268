#include "exec/gpu/run_on_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/size.h"
#include "exec/gpu/make_program.h"
#include "expr/codegen/emitter.h"
#include "gpu/error.h"
#include "gpu/modules/kernel_cache.h"
#include "gpu/sort/sort.h"
#include "ops/aggregate/gpu/passes.h"
#include "ops/gpu/branch/branch_run.h"
#include "ops/gpu/branch/outer_joins.h"
#include "ops/join/gpu/join_table.h"
#include "ops/operators/operators.h"

namespace lanewise::exec {

namespace {

/// One run of a pipeline.
class DeviceRun {
 public:
  DeviceRun(const plan::Pipeline& pipeline, const ops::Results& results, const ops::Options& options,
            ops::Accelerator& gpu, std::vector<ops::Counters>& counters, ops::DeviceTimes times,
            ops::Goal goal = ops::Goal::kHost)
      : pipeline_(pipeline),
        results_(results),
        options_(options),
        gpu_(gpu),
        counters_(counters),
        sink_(ops::sink_operator(pipeline).open_on_device(pipeline)),
        times_(std::move(times)),
        goal_(goal) {}

  DeviceResult run() {
    ops::Stopwatch watch;
    const std::unique_ptr<ops::SinkRun> sink = sink_->start({options_, gpu_, times_, goal_});
    if (sink->wants_more()) {
      for_each_batch(
          [&](ops::BranchRun& run) {
            sink->take(run, is_only(run));
            return sink->wants_more();
          },
          *sink);
    }
    ops::SinkResult made = sink->finish(pipeline_.output);
    // A join's line counts the rows that probe.
    if (pipeline_.sink != nullptr && made.build == nullptr) counters_[pipeline_.line].rows_in += sink->came();
    if (pipeline_.branches.size() == 1) book_left(pipeline_.branches[0], sink->came());
    counters_[pipeline_.line].nanos += watch.lap();
    DeviceResult result{.table = std::move(made.table), .build = std::move(made.build)};
    if (!made.kept.empty() && goal_ == ops::Goal::kLaterPipelines) {
      result.left = ops::LeftRows{&gpu_, std::move(made.kept)};
    } else {
      result.kept = as_result(made.kept);
    }
    result.notes = notes();
    result.keys = std::move(times_.keys);
    result.kernel_seconds = times_.kernel_seconds;
    result.modules = times_.modules;
    return result;
  }

 private:
  /// The rows that stayed on the device.
  std::shared_ptr<const arrow::DeviceRecords> as_result(const std::vector<arrow::DeviceBatch>& batches) {
    if (batches.empty()) return nullptr;
    return std::make_shared<const arrow::DeviceRecords>(
        pipeline_.output, batches, [&]() -> const gpu::Module& { return gpu_.border_kernels(); }, gpu_.memory,
        gpu_.stream, gpu_.staging);
  }

  /// Calls `batch` for all rows of all branches, until it returns false.
  template <class Take>
  void for_each_batch(Take&& batch, ops::SinkRun& sink) {
    bool more = true;
    std::vector<const plan::Branch*> branches;
    for (const plan::Branch& branch : pipeline_.branches) branches.push_back(&branch);
    std::ranges::stable_sort(branches, {}, &plan::Branch::phase);
    for (const plan::Branch* const branch : branches) {
      if (!more) break;
      ops::BranchRun run(*branch, make_program(*branch, sink_->form(), results_), *sink_, results_, options_,
                         gpu_, times_);
      run.for_each_batch([&] { return more = batch(run); }, [&] { return sink.make_room(); });
      run.raise_faults(sink.bring());
      book_read(*branch, run);
    }
  }

  /// Whether the batch holds all rows.
  bool is_only(const ops::BranchRun& run) const { return pipeline_.branches.size() == 1 && run.is_all(); }

  void book_read(const plan::Branch& branch, const ops::BranchRun& run) {
    if (branch.line == plan::kNoLine) return;
    counters_[branch.line].rows_in += static_cast<uint64_t>(run.input().rows());
    counters_[branch.line].bytes += run.input().uploaded_bytes();
    if (pipeline_.branches.size() != 1)
      counters_[branch.line].rows_out += static_cast<uint64_t>(run.input().rows());
  }

  /// Kernels count only the rows that come to the sink: the last step before it left them. What the steps
  /// between left is not known.
  void book_left(const plan::Branch& branch, uint64_t rows) {
    const size_t line = branch.steps.empty() ? branch.line : branch.steps.back().line;
    if (line != plan::kNoLine) counters_[line].rows_out += rows;
  }

  /// The first line is about all of it, the others are about a kernel each.
  std::vector<std::string> notes() const {
    std::string text = fmt::format("{}: kernels {:.3f} ms", gpu_.name(), times_.kernel_seconds * 1e3);
    if (times_.batches > 1) text += fmt::format(" in {} batches", times_.batches);
    if (times_.modules != 0) {
      text += fmt::format(", {} in {:.1f} ms", times_.compiled != 0 ? "compiled" : "found compiled",
                          times_.module_seconds * 1e3);
    }
    if (times_.uploaded != 0) {
      text += fmt::format(", uploaded {} at {:.1f} GB/s", format_size(times_.uploaded),
                          static_cast<double>(times_.uploaded) / times_.upload_seconds * 1e-9);
    } else {
      text += ", columns on the GPU";
    }
    if (times_.skipped != 0) text += fmt::format(", skipped {} rows", times_.skipped);
    std::vector<std::string> lines = {std::move(text)};
    for (const ops::KernelTime& kernel : times_.kernels)
      lines.push_back("  " + describe(kernel, gpu_.device.properties().bandwidth));
    return lines;
  }

  const plan::Pipeline& pipeline_;
  const ops::Results& results_;
  const ops::Options& options_;
  ops::Accelerator& gpu_;
  std::vector<ops::Counters>& counters_;
  const std::unique_ptr<ops::DeviceSink> sink_;
  ops::DeviceTimes times_;
  const ops::Goal goal_;
};

/// Whether the device does not have the build side that the step looks in.
bool lacks_table(const plan::StepSpec& step, const ops::Results& results, const ops::Accelerator& gpu) {
  if (!std::holds_alternative<plan::Join>(step.node->payload)) return false;
  const auto& table = results[step.result].on_device;
  return table == nullptr || &table->gpu() != &gpu;
}

/// Whether some are to be brought before its programs are made.
bool lacks_tables(const plan::Pipeline& pipeline, const ops::Results& results, const ops::Accelerator& gpu) {
  return std::ranges::any_of(pipeline.branches, [&](const plan::Branch& branch) {
    return std::ranges::any_of(branch.steps,
                               [&](const plan::StepSpec& step) { return lacks_table(step, results, gpu); });
  });
}

/// Brings the build sides that the pipeline's rows look for to the device.
void bring_tables(const plan::Pipeline& pipeline, ops::Results& results, const ops::Options& options,
                  ops::Accelerator& gpu, ops::DeviceTimes& times) {
  for (const plan::Branch& branch : pipeline.branches) {
    for (const plan::StepSpec& step : branch.steps) {
      if (!lacks_table(step, results, gpu)) continue;
      ops::PipelineResult& result = results[step.result];
      const auto& join = std::get<plan::Join>(step.node->payload);
      result.on_device = std::make_shared<const ops::JoinTable>(join, *result.build, options, gpu, times);
    }
  }
}

/// The pipelines that run for it, one after the other.
std::vector<plan::Pipeline> runs_of(const plan::Pipeline& pipeline, const ops::Passes& passes) {
  return passes.pipelines().empty() ? std::vector<plan::Pipeline>{pipeline} : passes.pipelines();
}

DeviceResult run(const plan::Pipeline& whole, ops::Results& results, const ops::Options& options,
                 ops::Accelerator& gpu, std::vector<ops::Counters>& counters, ops::Goal goal) {
  const ops::OuterJoins joins(whole, results);
  const plan::Pipeline& pipeline = joins.pipeline();
  const gpu::Device::Current current(gpu.device);  // for all its calls, instead of each
  ops::DeviceTimes tables;
  const ops::Passes passes(pipeline);
  if (!passes.pipelines().empty() || pipeline.branches.size() > 1 || lacks_tables(pipeline, results, gpu)) {
    for (const plan::Pipeline& run : runs_of(pipeline, passes)) {
      const std::unique_ptr<ops::DeviceSink> sink = ops::sink_operator(run).open_on_device(run);
      for (const plan::Branch& branch : run.branches)
        make_program(branch, sink->form(), results);  // throws before work is done
    }
  }
  bring_tables(pipeline, results, options, gpu, tables);
  if (passes.pipelines().empty())
    return DeviceRun(pipeline, results, options, gpu, counters, std::move(tables), goal).run();
  DeviceResult all;
  std::vector<Table> given;
  for (const plan::Pipeline& pass : passes.pipelines()) {
    std::vector<ops::Counters> again(counters.size());  // of rows that the first pass has counted
    DeviceResult made =
        DeviceRun(pass, results, options, gpu, given.empty() ? counters : again, std::exchange(tables, {}))
            .run();
    if (!given.empty()) counters[pass.line].nanos += again[pass.line].nanos;
    given.push_back(std::move(made.table));
    all.notes.insert(all.notes.end(), made.notes.begin(), made.notes.end());
    all.keys.merge(made.keys);
    all.kernel_seconds += made.kernel_seconds;
    all.modules += made.modules;
  }
  all.table = passes.together(std::move(given), options);
  return all;
}

/// Calls `take` with the sources of each section of each branch.
template <class Take>
void for_each_section(const plan::Pipeline& whole, const ops::Results& results,
                      const codegen::Strategy& strategy, const EveryColumn& form, Take&& take) {
  const ops::OuterJoins joins(whole, results);
  const plan::Pipeline& pipeline = joins.pipeline();
  const ops::Passes passes(pipeline);
  for (const plan::Pipeline& run : runs_of(pipeline, passes)) {
    const std::unique_ptr<ops::DeviceSink> sink = ops::sink_operator(run).open_on_device(run);
    for (const plan::Branch& branch : run.branches) {
      const codegen::Program program = make_program(branch, sink->form(), results);
      const std::vector<size_t> columns = columns_of(program);
      std::vector<Type> types;
      for (const size_t column : columns) types.push_back(program.types[column]);
      std::vector<codegen::ColumnForm> forms = forms_of(types, form);
      for (size_t i = 0; i < columns.size(); ++i) forms[i].probe = program.probe_of(columns[i]);
      const size_t sections = sections_of(program, sink->form(), strategy).size();
      for (size_t section = 0; section < sections; ++section)
        take(ops::SectionSources(program, *sink, columns, forms, strategy, section));
    }
  }
}

}  // namespace

std::vector<std::string> kernel_sources(const plan::Pipeline& pipeline, const ops::Results& results,
                                        const codegen::Strategy& strategy, const EveryColumn& form,
                                        bool rare) {
  std::vector<std::string> sources;
  for_each_section(pipeline, results, strategy, form, [&](const ops::SectionSources& made) {
    for (const codegen::KernelText& text : made.texts()) sources.push_back(text.text());
    if (!made.is_last()) return;
    for (const codegen::KernelText& text : made.sink().other_texts(strategy, rare)) {
      if (std::string source = text.text();
          std::find(sources.begin(), sources.end(), source) == sources.end())
        sources.push_back(std::move(source));
    }
  });
  return sources;
}

std::string kernels_name(const plan::Pipeline& pipeline, const ops::Results& results,
                         const codegen::Strategy& strategy) {
  std::string all;
  for (const std::string& source : kernel_sources(pipeline, results, strategy)) all += source;
  return fmt::format("{:016x} {}", gpu::digest(all), all.size());
}

std::string not_on_device(const plan::Pipeline& pipeline, const ops::Results& results) {
  try {
    for_each_section(pipeline, results, {}, {.nullable = true}, [](const ops::SectionSources& made) {
      if (made.is_last()) made.builder().check();
    });
    const bool sorts = pipeline.sink != nullptr && std::holds_alternative<plan::Sort>(pipeline.sink->payload);
    if (sorts) gpu::Sorter::system();
    return {};
  } catch (const expr::NotOnDevice& reason) {
    return reason.what();
  } catch (const gpu::DeviceError& reason) {
    return reason.what();
  }
}

DeviceResult run_on_device(const plan::Pipeline& pipeline, ops::Results& results, const ops::Options& options,
                           ops::Accelerator& gpu, std::vector<ops::Counters>& counters, ops::Goal goal) {
  if (goal != ops::Goal::kHost) {
    const std::vector<ops::Counters> before = counters;
    try {
      return run(pipeline, results, options, gpu, counters, goal);
    } catch (const MemoryError&) {  // the host may have room
      counters = before;
    } catch (const arrow::DoesNotFit&) {
      counters = before;
    }
  }
  return run(pipeline, results, options, gpu, counters, ops::Goal::kHost);
}

}  // namespace lanewise::exec
