#include "exec/placement/placement.h"

#include <algorithm>
#include <utility>

#include "data/gpu/device_rows.h"
#include "exec/gpu/run_on_device.h"
#include "exec/placement/kept_rows.h"
#include "exec/placement/work.h"
#include "ops/aggregate/partial.h"
#include "ops/join/gpu/join_table.h"

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
  if (there != nullptr && there->device() == view.place.gpu && there->has(column)) return true;
  ops::Accelerator* const gpu = view.opened;
  return gpu != nullptr && !gpu->store.parts_of(source.identity(), column, rows, gpu->batch_rows).empty();
}

/// Whether the GPU of `view` has the result.
bool has(const ops::DeviceView& view, const ops::PipelineResult& result) {
  if (result.left) return result.left->gpu == view.opened;
  return result.on_device != nullptr && &result.on_device->gpu() == view.opened;
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
  if (!options.device_views) return;  // nothing to choose
  for (const plan::Pipeline& pipeline : pipelines) parts_.push_back({.reads = results_read(pipeline)});
  rows_.resize(pipelines.size());
}

bool Placement::is_open(Place place) const {
  return std::ranges::any_of(devices_, [&](const ops::DeviceView& device) {
    return device.place == place && device.opened != nullptr;
  });
}

Choice Placement::choose(size_t next) {
  look(next);
  if (std::string reason = decided(next); !reason.empty())
    return {.place = only_place(next), .reason = std::move(reason)};
  estimate_works();
  place();
  return choice_of(next, {});
}

std::vector<Choice> Placement::explain() {
  explains_ = true;
  look(0);
  estimate_works();
  for (size_t i = 0; i < parts_.size(); ++i) check(i);
  if (!options_.device_only && missing().empty()) place();
  std::vector<Choice> choices;
  std::set<Place> opened;
  for (size_t i = 0; i < parts_.size(); ++i) {
    choices.push_back(choice_of(i, opened));
    opened.insert(choices.back().place);
  }
  return choices;
}

/// Takes in what has changed since the last choice.
void Placement::look(size_t next) {
  next_ = next;
  std::vector<ops::DeviceView> devices = options_.device_views();
  constexpr auto kOpened = &ops::DeviceView::opened;
  const bool is_known = std::ranges::equal(devices, devices_, {}, kOpened, kOpened);
  devices_ = std::move(devices);
  for (Part& part : parts_) {
    if (is_known) break;
    part.works.clear();  // the costs of a GPU are now known
    part.checked.reset();
  }
  for (size_t i = 0; i < next; ++i) rows_[i] = static_cast<double>(results_[i].rows());
  // Other pipelines have uploaded columns.
  if (std::ranges::any_of(devices_, [](const auto& device) { return device.opened != nullptr; }))
    parts_[next].works.clear();
  if (!parts_[next].reads.empty()) parts_[next].checked.reset();  // kernels depend on what it reads
}

/// What decides instead of the estimates; empty: nothing.
std::string Placement::decided(size_t i) const {
  if (is_small(i)) return "it reads a result of few rows";
  return options_.device_only ? "no other device was requested" : missing();
}

/// Why there is no GPU; empty: there may be one.
std::string Placement::missing() const {
  const bool may_be =
      std::ranges::any_of(devices_, [](const ops::DeviceView& device) { return device.missing.empty(); });
  return may_be ? "" : devices_.front().missing;
}

/// Where a pipeline runs without estimates.
Place Placement::only_place(size_t i) const {
  return options_.device_only && !is_small(i) ? devices_.front().place : kHost;
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
  for (size_t i = next_; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    std::vector<double> input_rows;
    for (const plan::Branch& branch : pipelines_[i].branches) {
      if (const auto read = pipeline_read(branch)) input_rows.push_back(known.result_rows[*read]);
    }
    if (input_rows != part.input_rows) part.works.clear();
    for (size_t device = part.works.size(); device < devices_.size(); ++device) {
      known.resident = [&view = devices_[device]](const Source& source, size_t column, int64_t rows) {
        return is_resident(view, source, column, rows);
      };
      part.works.push_back(work_of(pipelines_[i], known));
    }
    part.input_rows = std::move(input_rows);
    known.result_rows[i] = part.works.front().result_rows;
  }
  rows_ = std::move(known.result_rows);
}

/// Finds out what the estimates lack: whether devices support the pipeline, and whether kernels have to
/// be compiled. They are known if the results that it reads exist.
void Placement::check(size_t i) {
  const bool is_known =
      explains_ || std::ranges::all_of(parts_[i].reads, [&](size_t read) { return read < next_; });
  Checked& checked = parts_[i].checked.emplace();
  checked.lacking = not_on_device(pipelines_[i], results_);
  if (!checked.lacking.empty() || !is_known) return;
  for (const ops::DeviceView& device : devices_)
    checked.kernels.push_back(find_kernels(pipelines_[i], results_, options_.device_strategy, device));
}

/// Finds the places by lower bounds, and checks the pipelines that these put on a device, until all are
/// checked.
void Placement::place() {
  std::vector<Candidate> candidates{{kHost}};
  for (const ops::DeviceView& device : devices_)
    candidates.push_back({device.place, device.opened == nullptr ? device.costs.open : 0});
  const PipelineTimes not_read{std::vector<PlaceTimes>(candidates.size())};
  std::vector<PipelineTimes> times(parts_.size(), not_read);
  for (size_t i = next_; i < parts_.size(); ++i) {
    times[i] = times_of(i);
    for (const size_t read : parts_[i].reads) {
      if (read < next_) times[read] = times_of(read);
    }
  }
  for (bool is_final = false; !is_final;) {
    places_ = fastest_places(candidates, times);
    is_final = true;
    for (size_t i = next_; i < parts_.size(); ++i) {
      if (places_.runs[i].is_host() || parts_[i].checked) continue;
      check(i);
      times[i] = times_of(i);
      is_final = false;
    }
  }
}

PipelineTimes Placement::times_of(size_t i) const {
  const plan::Pipeline& pipeline = pipelines_[i];
  const double bytes = rows_[i] * ops::usual_bytes(columns_of(pipeline));
  const bool may_stay = options_.keep_on_device && may_keep(pipelines_, i);
  PipelineTimes times{{PlaceTimes()}};
  if (!parts_[i].works.empty())
    times.places[0].work =
        estimate_host(parts_[i].works.front(), options_.host_rates, devices_.front().costs).seconds();
  for (const ops::DeviceView& device : devices_) {
    PlaceTimes& there = times.places.emplace_back();
    there.upload = bytes / device.costs.upload;
    // The host makes a build side again.
    there.download = may_stay ? 0 : is_build(pipeline) ? kNever : bytes / device.costs.download;
  }
  if (i < next_) return times_of_result(i, std::move(times));
  for (size_t device = 0; device < devices_.size(); ++device)
    times.places[device + 1].work = device_seconds(i, device);
  times.reads = parts_[i].reads;
  return times;
}

/// The same of a result that exists.
PipelineTimes Placement::times_of_result(size_t i, PipelineTimes times) const {
  const ops::PipelineResult& result = results_[i];
  const bool is_built_here = result.build != nullptr || result.parts != nullptr;
  if (result.left) {
    times.places[0].work = kNever;
  } else if (result.on_device == nullptr || is_built_here) {
    times.places[0].work = 0;
  }
  for (size_t device = 0; device < devices_.size(); ++device) {
    PlaceTimes& there = times.places[device + 1];
    const bool is_there = has(devices_[device], result);
    there.work = is_there ? 0 : kNever;
    const bool is_elsewhere = !is_there && result.on_device != nullptr;
    if (result.parts != nullptr || is_elsewhere) there.upload = kNever;
  }
  return times;
}

/// Of the device's own work, without transfers of results.
double Placement::device_seconds(size_t i, size_t device) const {
  if (!devices_[device].missing.empty()) return kNever;
  if (is_small(i) || merges_parts(pipelines_[i]) || !lacking(i).empty()) return kNever;
  ops::Work own = parts_[i].works[device];
  for (const plan::Branch& branch : pipelines_[i].branches) {
    if (const auto read = pipeline_read(branch))
      own.missing -= rows_[*read] * ops::usual_bytes(branch.schema);
  }
  const ops::DeviceCosts& costs = devices_[device].costs;
  const DeviceState ready{.open = true, .compiled = kernels(i, device) != Kernels::kToCompile};
  return estimate_device(own, costs, ready).seconds() - own.result_bytes / costs.download;
}

const std::string& Placement::lacking(size_t i) const {
  static const std::string nothing;
  return parts_[i].checked ? parts_[i].checked->lacking : nothing;
}

Kernels Placement::kernels(size_t i, size_t device) const {
  const auto& checked = parts_[i].checked;
  return checked && !checked->kernels.empty() ? checked->kernels[device] : Kernels::kUnknown;
}

/// Whether a result is, or will be, only on the device.
bool Placement::is_left_on(size_t device, size_t result) const {
  if (result >= next_)
    return result < places_.results.size() && places_.results[result] == devices_[device].place;
  return has(devices_[device], results_[result]) && results_[result].build == nullptr;
}

bool Placement::is_left(size_t result) const {
  for (size_t device = 0; device < devices_.size(); ++device)
    if (is_left_on(device, result)) return true;
  return false;
}

/// The work, with the rows that it reads where they are.
ops::Work Placement::work_now(size_t i, size_t device) const {
  ops::Work work = parts_[i].works[device];
  for (const plan::Branch& branch : pipelines_[i].branches) {
    const auto read = pipeline_read(branch);
    if (!read || !is_left(*read)) continue;
    const double bytes = rows_[*read] * ops::usual_bytes(branch.schema);
    if (is_left_on(device, *read)) work.missing -= bytes;
    work.fetched += bytes;
  }
  return work;
}

/// The device whose figures a choice shows: that of the place, else the fastest.
size_t Placement::shown(size_t i, Place place) const {
  size_t best = 0;
  for (size_t device = 0; device < devices_.size(); ++device) {
    if (devices_[device].place == place) return device;
    if (device_seconds(i, device) < device_seconds(i, best)) best = device;
  }
  return best;
}

/// `opened`: by pipelines before it.
Choice Placement::choice_of(size_t i, const std::set<Place>& opened) const {
  Choice choice{.place = options_.device_only ? only_place(i) : place_of(i), .reason = decided(i)};
  const size_t number = shown(i, choice.place);
  const ops::DeviceView& device = devices_[number];
  choice.work = work_now(i, number);
  choice.kernels = kernels(i, number);
  choice.at_least = !parts_[i].checked;
  const DeviceState state{.open = device.opened != nullptr || opened.contains(device.place),
                          .compiled = choice.kernels != Kernels::kToCompile};
  choice.host = estimate_host(choice.work, options_.host_rates, device.costs);
  if (missing().empty()) choice.device = estimate_device(choice.work, device.costs, state);
  if (!lacking(i).empty() && !is_small(i))
    choice.reason = options_.device_only ? lacking(i) + ": an error" : lacking(i);
  const bool is_faster = choice.device.seconds() < choice.host.seconds();
  if (choice.reason.empty() && choice.on_device() != is_faster)
    choice.context = context_of(i, choice.on_device());
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
