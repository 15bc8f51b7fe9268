#include "exec/placement/placement.h"

#include <algorithm>
#include <utility>

#include "data/gpu/device_rows.h"
#include "exec/gpu/run_on_device.h"
#include "exec/placement/kept_rows.h"
#include "exec/placement/work.h"
#include "ops/aggregate/partial.h"

namespace lanewise::exec {

namespace {

/// A result of at most this many rows, which is in host memory, is always processed on the host.
constexpr double kRowsForHost = 1 << 16;

/// The columns of a pipeline's result.
const Schema& columns_of(const plan::Pipeline& pipeline) {
  return is_build(pipeline) ? pipeline.input : pipeline.output;
}

/// Whether the GPU of `view` has a column of a source with that many rows.
bool is_resident(const ops::DeviceView& view, const Source& source, size_t column, int64_t rows) {
  const DeviceRows* there = source.device_rows();
  if (there != nullptr && there->device() == view.ordinal && there->has(column)) return true;
  ops::Accelerator* const gpu = view.opened;
  return gpu != nullptr && !gpu->store.parts_of(source.identity(), column, rows, gpu->batch_rows).empty();
}

}  // namespace

bool merges_parts(const plan::Pipeline& pipeline) {
  const auto* aggregate =
      pipeline.sink == nullptr ? nullptr : std::get_if<plan::Aggregate>(&pipeline.sink->payload);
  return aggregate != nullptr && std::ranges::any_of(aggregate->aggregates, ops::merges_parts);
}

Placement::Placement(const std::vector<plan::Pipeline>& pipelines, const ops::Results& results,
                     const ops::Options& options)
    : pipelines_(pipelines), results_(results), options_(options) {
  if (!options.accelerator && !options.device_view) return;  // nothing to choose
  for (const plan::Pipeline& pipeline : pipelines) parts_.push_back({.reads = results_read(pipeline)});
  rows_.resize(pipelines.size());
}

Choice Placement::choose(size_t next) {
  look(next);
  if (std::string reason = decided(next); !reason.empty())
    return {.on_device = options_.device_only && !is_small(next), .reason = std::move(reason)};
  estimate_works();
  place();
  return choice_of(next, view_.opened != nullptr);
}

std::vector<Choice> Placement::explain() {
  explains_ = true;
  look(0);
  estimate_works();
  for (size_t i = 0; i < parts_.size(); ++i) check(i);
  if (!options_.device_only && view_.missing.empty()) place();
  std::vector<Choice> choices;
  bool open = view_.opened != nullptr;
  for (size_t i = 0; i < parts_.size(); ++i) {
    choices.push_back(choice_of(i, open));
    open |= choices.back().on_device;
  }
  return choices;
}

/// Takes in what has changed since the last choice.
void Placement::look(size_t next) {
  next_ = next;
  const ops::Accelerator* const before = view_.opened;
  view_ = options_.device_view ? options_.device_view() : ops::DeviceView();
  for (Part& part : parts_) {
    if (view_.opened == before) break;
    part.work.reset();  // the GPU's costs are now known
    part.checked.reset();
  }
  for (size_t i = 0; i < next; ++i) rows_[i] = static_cast<double>(results_[i].rows());
  if (view_.opened != nullptr) parts_[next].work.reset();         // other pipelines have uploaded columns
  if (!parts_[next].reads.empty()) parts_[next].checked.reset();  // kernels depend on what it reads
}

/// What decides instead of the estimates; empty: nothing.
std::string Placement::decided(size_t i) const {
  if (is_small(i)) return "it reads a result of few rows";
  return options_.device_only ? "no other device was requested" : view_.missing;
}

/// Whether it reads only small results of earlier pipelines. Where build sides are made is a matter of
/// estimates: few rows may be looked up in a large one.
bool Placement::is_small(size_t i) const {
  const auto is_table = [&](size_t read) { return is_build(pipelines_[read]); };
  if (!options_.device_only && std::ranges::any_of(parts_[i].reads, is_table)) return false;
  double rows = 0;
  for (const plan::Branch& branch : pipelines_[i].branches) {
    const std::optional<size_t> read = pipeline_read(branch);
    if (!read) return false;
    rows += rows_[*read];
  }
  return rows <= kRowsForHost;
}

void Placement::estimate_works() {
  Known known{.result_rows = rows_, .store = options_.store};
  known.resident = [this](const Source& source, size_t column, int64_t rows) {
    return is_resident(view_, source, column, rows);
  };
  for (size_t i = next_; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    std::vector<double> input_rows;
    for (const plan::Branch& branch : pipelines_[i].branches) {
      if (const auto read = pipeline_read(branch)) input_rows.push_back(known.result_rows[*read]);
    }
    if (!part.work || input_rows != part.input_rows) part.work = work_of(pipelines_[i], known);
    part.input_rows = std::move(input_rows);
    known.result_rows[i] = part.work->result_rows;
  }
  rows_ = std::move(known.result_rows);
}

/// Finds out what the estimates lack: whether the device supports the pipeline, and whether kernels have to
/// be compiled. They are known if the results that it reads exist.
void Placement::check(size_t i) {
  const bool is_known =
      explains_ || std::ranges::all_of(parts_[i].reads, [&](size_t read) { return read < next_; });
  Checked& checked = parts_[i].checked.emplace();
  checked.lacking = not_on_device(pipelines_[i], results_);
  if (checked.lacking.empty() && is_known)
    checked.kernels = find_kernels(pipelines_[i], results_, options_.device_strategy, view_);
}

/// Finds the places by lower bounds, and checks the pipelines that these put on the device, until all are
/// checked.
void Placement::place() {
  std::vector<PipelineTimes> times(parts_.size());  // zero where a result is not read any more
  for (size_t i = next_; i < parts_.size(); ++i) {
    times[i] = times_of(i);
    for (const size_t read : parts_[i].reads) {
      if (read < next_) times[read] = times_of(read);
    }
  }
  for (bool is_final = false; !is_final;) {
    places_ = fastest_places(times, view_.opened == nullptr ? view_.costs.open : 0);
    is_final = true;
    for (size_t i = next_; i < parts_.size(); ++i) {
      if (places_.runs[i] == Place::kHost || parts_[i].checked) continue;
      check(i);
      times[i] = times_of(i);
      is_final = false;
    }
  }
}

PipelineTimes Placement::times_of(size_t i) const {
  const plan::Pipeline& pipeline = pipelines_[i];
  const double bytes = rows_[i] * ops::usual_bytes(columns_of(pipeline));
  PipelineTimes times;
  if (parts_[i].work) times.host = estimate_host(*parts_[i].work, options_.host_rates, view_.costs).seconds();
  times.upload = bytes / view_.costs.upload;
  // The host makes a build side again.
  times.download = is_build(pipeline) ? kNever : bytes / view_.costs.download;
  if (options_.keep_on_device && may_keep(pipelines_, i)) times.download = 0;
  if (i < next_) return times_of_result(i, std::move(times));
  times.device = device_seconds(i);
  times.reads = parts_[i].reads;
  return times;
}

/// The same of a result that exists.
PipelineTimes Placement::times_of_result(size_t i, PipelineTimes times) const {
  const ops::PipelineResult& result = results_[i];
  const bool is_built_here = result.build != nullptr || result.parts != nullptr;
  if (result.left) {
    times.host = kNever;
  } else if (result.on_device == nullptr || is_built_here) {
    times.host = 0;
  }
  times.device = result.left || result.on_device != nullptr ? 0 : kNever;
  if (result.parts != nullptr) times.upload = kNever;
  return times;
}

/// Of the device's own work, without transfers of results.
double Placement::device_seconds(size_t i) const {
  if (is_small(i) || merges_parts(pipelines_[i]) || !lacking(i).empty()) return kNever;
  ops::Work own = *parts_[i].work;
  for (const plan::Branch& branch : pipelines_[i].branches) {
    if (const auto read = pipeline_read(branch))
      own.missing -= rows_[*read] * ops::usual_bytes(branch.schema);
  }
  const DeviceState ready{.open = true, .compiled = kernels(i) != Kernels::kToCompile};
  return estimate_device(own, view_.costs, ready).seconds() - own.result_bytes / view_.costs.download;
}

const std::string& Placement::lacking(size_t i) const {
  static const std::string nothing;
  return parts_[i].checked ? parts_[i].checked->lacking : nothing;
}

/// Whether a result is, or will be, only on the device.
bool Placement::is_left(size_t result) const {
  if (result >= next_) return result < places_.results.size() && places_.results[result] == Place::kDevice;
  return results_[result].left ||
         (results_[result].on_device != nullptr && results_[result].build == nullptr);
}

/// The work, with the rows that it reads where they are.
ops::Work Placement::work_now(size_t i) const {
  ops::Work work = *parts_[i].work;
  for (const plan::Branch& branch : pipelines_[i].branches) {
    const auto read = pipeline_read(branch);
    if (!read || !is_left(*read)) continue;
    const double bytes = rows_[*read] * ops::usual_bytes(branch.schema);
    work.missing -= bytes;
    work.fetched += bytes;
  }
  return work;
}

Choice Placement::choice_of(size_t i, bool open) const {
  Choice choice{.work = work_now(i), .kernels = kernels(i), .reason = decided(i)};
  choice.on_device = options_.device_only ? !is_small(i) : is_on_device(i);
  choice.at_least = !parts_[i].checked;
  const DeviceState state{.open = open, .compiled = kernels(i) != Kernels::kToCompile};
  choice.host = estimate_host(choice.work, options_.host_rates, view_.costs);
  choice.device = estimate_device(choice.work, view_.costs, state);
  if (!lacking(i).empty() && !is_small(i))
    choice.reason = options_.device_only ? lacking(i) + ": an error" : lacking(i);
  const bool is_faster = choice.device.seconds() < choice.host.seconds();
  if (choice.reason.empty() && choice.on_device != is_faster)
    choice.context = context_of(i, choice.on_device);
  return choice;
}

/// Why it runs where it alone would take more time.
std::string Placement::context_of(size_t i, bool on_device) const {
  const auto is_table_there = [&](size_t read) { return is_build(pipelines_[read]) && is_left(read); };
  if (!on_device) return is_build(pipelines_[i]) ? "the CPU reads it" : "the whole plan takes less time";
  if (std::ranges::any_of(parts_[i].reads, is_table_there)) return "a build side that it reads is there";
  return is_left(i) ? "its rows are read there" : "the whole plan takes less time";
}

}  // namespace lanewise::exec
