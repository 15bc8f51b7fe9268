#include "exec/gpu/run_on_device.h"
#include "exec/gpu/branch/make_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/size.h"
#include "exec/gpu/aggregate/passes.h"
#include "exec/gpu/aggregate/states-inl.h"
#include "exec/gpu/branch/branch_run.h"
#include "exec/gpu/collect/collect.h"
#include "exec/gpu/device_sink.h"
#include "exec/gpu/groups/group_run.h"
#include "exec/gpu/join/join_table.h"
#include "exec/gpu/sort/sort_run.h"
#include "expr/gpu/emitter.h"
#include "gpu/error.h"
#include "gpu/modules/kernel_cache.h"
#include "ops/concat.h"

namespace lanewise::exec {

namespace {

/// States of all blocks, with what they hold at the end.
class States {
 public:
  States(const DeviceSink& sink, Accelerator& gpu) : sink_(sink), gpu_(gpu) {
    for (const DeviceAggregate& aggregate : sink.aggregates) stride_ += aggregate.bytes;
    const size_t bytes = stride_ * most_blocks(gpu);
    host_.resize(bytes);
    buffer_ = gpu.pool.allocate(bytes, gpu.stream, "Aggregation");
    gpu.stream.fill(buffer_.address(), 0, bytes);
  }
  gpu::cuda::Address address() const { return buffer_.address(); }

  /// For finish().
  gpu::Download bring() { return {host_.data(), buffer_.address(), host_.size()}; }
  /// What they hold, and to hold that again.
  std::vector<uint8_t> held() {
    const gpu::Download all = bring();
    gpu_.staging.download(all.to, all.from, all.bytes, gpu_.stream);
    return host_;
  }
  void hold(const std::vector<uint8_t>& states) {
    gpu_.staging.upload(buffer_.address(), states.data(), states.size(), gpu_.stream);
  }

  /// The one row of the result, and how many rows came to it: of what was brought last.
  std::pair<Batch, uint64_t> finish() const {
    Batch batch;
    batch.rows = 1;
    size_t at = sizeof(kernel::Count);
    for (const DeviceAggregate& aggregate : sink_.aggregates) {
      const Value value = aggregate.finish(aggregate.call, {&host_[at], most_blocks(gpu_), stride_});
      batch.columns.push_back(make_column(aggregate.call.type, {value}));
      at += aggregate.bytes;
    }
    const int64_t rows = count_rows({host_.data(), most_blocks(gpu_), stride_});
    return {std::move(batch), static_cast<uint64_t>(rows)};
  }

 private:
  const DeviceSink& sink_;
  Accelerator& gpu_;
  size_t stride_ = sizeof(kernel::Count);  // each state begins with how many rows came to it
  gpu::DeviceBuffer buffer_;
  std::vector<uint8_t> host_;
};

/// One run of a pipeline.
class DeviceRun {
 public:
  DeviceRun(const Pipeline& pipeline, const Results& results, const Options& options, Accelerator& gpu,
            std::vector<Counters>& counters, DeviceTimes times, Goal goal = Goal::kHost)
      : pipeline_(pipeline),
        results_(results),
        options_(options),
        gpu_(gpu),
        counters_(counters),
        sink_(pipeline.sink, pipeline.input),
        times_(std::move(times)),
        goal_(goal),
        keep_(goal == Goal::kHost ? Destination::kHost : Destination::kDeviceIfMany) {}

  DeviceResult run() {
    Stopwatch watch;
    Table table;
    table.schema = pipeline_.output;
    uint64_t came = 0;  // rows to the sink
    std::vector<arrow::DeviceBatch> kept;
    if (sink_.aggregates_rows) {
      States states(sink_, gpu_);
      const auto batch = [&](BranchRun& run) {
        run.narrow(false);
        kernel::Job job = run.job();
        job.words[JobLayout::kOut] = states.address();
        const std::vector<uint8_t> before =
            run.makes_texts("aggregate") ? states.held() : std::vector<uint8_t>();
        while (!run.try_aggregate(job)) states.hold(before);
        return true;
      };
      for_each_batch(batch, {states.bring()});
      Batch row;
      std::tie(row, came) = states.finish();
      table.batches.push_back(std::move(row));
    } else if (sink_.groups) {
      GroupRun groups(sink_, options_, gpu_, keep_);
      for_each_batch([&](BranchRun& run) {
        groups.take(run, is_only(run));
        return true;
      });
      came = groups.came();
      kept = groups.take_kept();
      table = groups.finish(pipeline_.output);
    } else if (sink_.sort != nullptr) {
      SortRun sort(sink_, pipeline_.input, options_, gpu_, keep_);
      for_each_batch([&](BranchRun& run) {
        sort.take(run, is_only(run));
        return true;
      });
      came = sort.came();
      kept = sort.take_kept();
      table = sort.finish(pipeline_.output);
    } else if (sink_.build != nullptr) {
      return keep_build(watch);
    } else {
      Collector collector(sink_, sink_.rows ? sink_.rows->schema() : pipeline_.input, options_, gpu_);
      if (collector.wants_more()) {
        for_each_batch([&](BranchRun& run) {
          run.narrow(true);
          const bool may_stay = keep_ != Destination::kHost && !sink_.rows;
          if (may_stay && goal_ == Goal::kResult)
            collector.set_destination(is_only(run) ? keep_ : Destination::kDevice);
          if (may_stay && goal_ == Goal::kLaterPipelines)
            collector.set_destination(is_only(run) ? keep_ : Destination::kHost);
          collector.take(run);
          return collector.wants_more();
        });
      }
      came = collector.seen();
      kept = collector.take_kept();
      table.batches = collector.take();
      if (sink_.rows)
        table =
            sink_.rows->finish({sink_.rows->schema(), std::move(table.batches)}, pipeline_.output, options_);
    }
    if (pipeline_.sink != nullptr) counters_[pipeline_.line].rows_in += came;
    if (pipeline_.branches.size() == 1) book_left(pipeline_.branches[0], came);
    counters_[pipeline_.line].nanos += watch.lap();
    DeviceResult result{.table = std::move(table)};
    if (!kept.empty() && goal_ == Goal::kLaterPipelines) {
      result.left = LeftRows{&gpu_, std::move(kept[0])};
    } else {
      result.kept = as_result(kept);
    }
    return with_times(std::move(result));
  }

 private:
  DeviceResult with_times(DeviceResult result) const {
    result.notes = notes();
    result.kernel_seconds = times_.kernel_seconds;
    result.modules = times_.modules;
    return result;
  }

  /// The rows that stayed on the device.
  std::shared_ptr<const arrow::DeviceRecords> as_result(const std::vector<arrow::DeviceBatch>& batches) {
    if (batches.empty()) return nullptr;
    return std::make_shared<const arrow::DeviceRecords>(
        pipeline_.output, batches, [&]() -> const gpu::Module& { return gpu_.border_kernels(); }, gpu_.memory,
        gpu_.stream, gpu_.staging);
  }

  /// The rows become a join's build side. Those of one batch stay on the device; those of several are put
  /// together on the host.
  DeviceResult keep_build(Stopwatch& watch) {
    Schema schema;
    for (const ExprPtr& expr : *sink_.expressions()) schema.push_back({"", expr->type});
    Collector collector(sink_, schema, options_, gpu_);
    std::vector<JoinTable::ColumnPtr> columns;
    uint64_t rows = 0;
    for_each_batch([&](BranchRun& run) {
      if (is_only(run)) columns = run.outputs_as_they_are();
      if (!columns.empty()) {
        rows = run.rows();
        return true;
      }
      run.narrow(true);
      if (is_only(run)) {
        for (DeviceColumn& column : collector.keep(run))
          columns.push_back(std::make_shared<const DeviceColumn>(std::move(column)));
      } else {
        collector.take(run);
      }
      rows = collector.seen();
      return true;
    });
    const plan::Join& join = *sink_.build;
    std::shared_ptr<const JoinTable> table;
    if (columns.empty()) {
      const ops::Build build = together(collector.take(), schema);
      table = std::make_shared<const JoinTable>(join, build, options_, gpu_, times_);
    } else {
      table = std::make_shared<const JoinTable>(join, std::move(columns), rows, options_, gpu_, times_);
    }
    if (pipeline_.branches.size() == 1) book_left(pipeline_.branches[0], rows);
    counters_[pipeline_.line].nanos += watch.lap();
    return with_times({.table = {}, .build = std::move(table)});
  }

  /// The rows of a build side, without a lookup.
  ops::Build together(const std::vector<Batch>& batches, const Schema& schema) const {
    size_t rows = 0;
    for (const Batch& batch : batches) rows += static_cast<size_t>(batch.rows);
    if (rows >= UINT32_MAX)
      throw expr::NotOnDevice("build sides of more than 2^32 rows are not supported on GPUs");
    ops::Build build;
    build.rows = static_cast<uint32_t>(rows);
    const size_t kept = schema.size() - sink_.build->keys.size();
    for (size_t c = 0; c < schema.size(); ++c) {
      std::vector<ColumnPtr> parts;
      for (const Batch& batch : batches) parts.push_back(batch.columns[c]);
      if (parts.empty()) parts.push_back(make_column(schema[c].type, {}));
      (c < kept ? build.columns : build.keys).push_back(ops::concat(parts, options_.budget, ops::kJoin));
    }
    return build;
  }

  /// Calls `batch` for all rows of all branches, until it returns false. `with` comes at the end of each
  /// branch.
  template <class Take>
  void for_each_batch(Take&& batch, const Downloads& with = {}) {
    bool more = true;
    std::vector<const Branch*> branches;
    for (const Branch& branch : pipeline_.branches) branches.push_back(&branch);
    std::ranges::stable_sort(branches, {}, &Branch::phase);
    for (const Branch* const each : branches) {
      if (!more) break;
      const Branch& branch = *each;
      BranchRun run(branch, sink_, results_, options_, gpu_, times_);
      run.for_each_batch([&] { return more = batch(run); });
      run.raise_faults(with);
      book_read(branch, run);
    }
  }

  /// Whether the batch holds all rows.
  bool is_only(const BranchRun& run) const { return pipeline_.branches.size() == 1 && run.is_all(); }

  void book_read(const Branch& branch, const BranchRun& run) {
    if (branch.line == kNoLine) return;
    counters_[branch.line].rows_in += static_cast<uint64_t>(run.input().rows());
    counters_[branch.line].bytes += run.input().uploaded_bytes();
    if (pipeline_.branches.size() != 1)
      counters_[branch.line].rows_out += static_cast<uint64_t>(run.input().rows());
  }

  /// Kernels count only the rows that come to the sink: the last step before it left them. What the steps
  /// between left is not known.
  void book_left(const Branch& branch, uint64_t rows) {
    const size_t line = branch.steps.empty() ? branch.line : branch.steps.back().line;
    if (line != kNoLine) counters_[line].rows_out += rows;
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
    for (const std::string& lookup : times_.lookups) lines.push_back("  keys of a join: " + lookup);
    for (const KernelTime& kernel : times_.kernels)
      lines.push_back("  " + describe(kernel, gpu_.device.properties().bandwidth));
    return lines;
  }

  const Pipeline& pipeline_;
  const Results& results_;
  const Options& options_;
  Accelerator& gpu_;
  std::vector<Counters>& counters_;
  const DeviceSink sink_;
  DeviceTimes times_;
  const Goal goal_;
  const Destination keep_;
};

/// Whether the device does not have the build side that the step looks in.
bool lacks_table(const StepSpec& step, const Results& results, const Accelerator& gpu) {
  if (!std::holds_alternative<plan::Join>(step.node->payload)) return false;
  const auto& table = results[step.result].on_device;
  return table == nullptr || &table->place() != &gpu;
}

/// Whether some are to be brought before its programs are made.
bool lacks_tables(const Pipeline& pipeline, const Results& results, const Accelerator& gpu) {
  return std::ranges::any_of(pipeline.branches, [&](const Branch& branch) {
    return std::ranges::any_of(branch.steps,
                               [&](const StepSpec& step) { return lacks_table(step, results, gpu); });
  });
}

/// Brings the build sides that the pipeline's rows look for to the device.
void bring_tables(const Pipeline& pipeline, Results& results, const Options& options, Accelerator& gpu,
                  DeviceTimes& times) {
  for (const Branch& branch : pipeline.branches) {
    for (const StepSpec& step : branch.steps) {
      if (!lacks_table(step, results, gpu)) continue;
      PipelineResult& result = results[step.result];
      const auto& join = std::get<plan::Join>(step.node->payload);
      result.on_device = std::make_shared<const JoinTable>(join, *result.build, options, gpu, times);
    }
  }
}

/// The pipelines that run for it, one after the other.
std::vector<Pipeline> runs_of(const Pipeline& pipeline, const Passes& passes) {
  return passes.pipelines().empty() ? std::vector<Pipeline>{pipeline} : passes.pipelines();
}

DeviceResult run(const Pipeline& pipeline, Results& results, const Options& options, Accelerator& gpu,
                 std::vector<Counters>& counters, Goal goal) {
  const gpu::Device::Current current(gpu.device);  // for all its calls, instead of each
  DeviceTimes tables;
  const Passes passes(pipeline);
  if (!passes.pipelines().empty() || pipeline.branches.size() > 1 || lacks_tables(pipeline, results, gpu)) {
    for (const Pipeline& run : runs_of(pipeline, passes)) {
      const DeviceSink sink(run.sink, run.input);
      for (const Branch& branch : run.branches)
        make_program(branch, sink.form(), results);  // throws before work is done
    }
  }
  bring_tables(pipeline, results, options, gpu, tables);
  if (passes.pipelines().empty())
    return DeviceRun(pipeline, results, options, gpu, counters, std::move(tables), goal).run();
  DeviceResult all;
  std::vector<Table> given;
  for (const Pipeline& pass : passes.pipelines()) {
    std::vector<Counters> again(counters.size());  // of rows that the first pass has counted
    DeviceResult made =
        DeviceRun(pass, results, options, gpu, given.empty() ? counters : again, std::exchange(tables, {}))
            .run();
    if (!given.empty()) counters[pass.line].nanos += again[pass.line].nanos;
    given.push_back(std::move(made.table));
    all.notes.insert(all.notes.end(), made.notes.begin(), made.notes.end());
    all.kernel_seconds += made.kernel_seconds;
    all.modules += made.modules;
  }
  all.table = passes.together(std::move(given), options);
  return all;
}

/// Calls `take` with the sources of each section of each branch, and whether it is the last one.
template <class Take>
void for_each_section(const Pipeline& pipeline, const Results& results, const Strategy& strategy,
                      const EveryColumn& form, Take&& take) {
  const Passes passes(pipeline);
  for (const Pipeline& run : runs_of(pipeline, passes)) {
    const DeviceSink sink(run.sink, run.input);
    for (const Branch& branch : run.branches) {
      const Program program = make_program(branch, sink.form(), results);
      const std::vector<size_t> columns = columns_of(program);
      std::vector<Type> types;
      for (const size_t column : columns) types.push_back(program.types[column]);
      std::vector<ColumnForm> forms = forms_of(types, form);
      for (size_t i = 0; i < columns.size(); ++i) forms[i].probe = program.probe_of(columns[i]);
      const size_t sections = sections_of(program, sink.form(), strategy).size();
      for (size_t section = 0; section < sections; ++section)
        take(SectionSources(program, sink, columns, forms, strategy, section), section + 1 == sections);
    }
  }
}

}  // namespace

std::vector<std::string> kernel_sources(const Pipeline& pipeline, const Results& results,
                                        const Strategy& strategy, const EveryColumn& form, bool rare) {
  using Groups = Strategy::Groups;
  const auto may_go = [&](Groups how) {
    return strategy.groups == how || (rare && strategy.groups == Groups::kAuto);
  };
  const bool parts = may_go(Groups::kParts), slots = may_go(Groups::kSlots);
  std::vector<std::string> sources;
  const auto add_new = [&](const std::vector<KernelText>& texts) {
    for (const KernelText& text : texts) {
      if (std::string source = text.text();
          std::find(sources.begin(), sources.end(), source) == sources.end())
        sources.push_back(std::move(source));
    }
  };
  for_each_section(pipeline, results, strategy, form, [&](const SectionSources& made, bool is_last) {
    for (const KernelText& text : made.texts()) sources.push_back(text.text());
    if (!is_last || !made.groups_rows()) return;
    if (parts && made.groups().record_bytes() != 0) add_new(made.groups().parts());
    if (slots) add_new(made.groups().slot_texts());
  });
  return sources;
}

std::string kernels_name(const Pipeline& pipeline, const Results& results, const Strategy& strategy) {
  std::string all;
  for (const std::string& source : kernel_sources(pipeline, results, strategy)) all += source;
  return fmt::format("{:016x} {}", gpu::digest(all), all.size());
}

std::string not_on_device(const Pipeline& pipeline, const Results& results) {
  try {
    for_each_section(pipeline, results, {}, {.nullable = true}, [](const SectionSources& made, bool is_last) {
      if (is_last) made.builder().check();
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

DeviceResult run_on_device(const Pipeline& pipeline, Results& results, const Options& options,
                           Accelerator& gpu, std::vector<Counters>& counters, Goal goal) {
  if (goal != Goal::kHost) {
    const std::vector<Counters> before = counters;
    try {
      return run(pipeline, results, options, gpu, counters, goal);
    } catch (const MemoryError&) {  // the host may have room
      counters = before;
    } catch (const arrow::DoesNotFit&) {
      counters = before;
    }
  }
  return run(pipeline, results, options, gpu, counters, Goal::kHost);
}

}  // namespace lanewise::exec
