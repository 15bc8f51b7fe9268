#include "study/bench/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "base/bits.h"
#include "base/error.h"
#include "base/machine.h"
#include "output/result_writer.h"
#include "primitives/kernels.h"
#include "study/bench/index_device.h"
#include "study/bench/on_device.h"
#include "study/bench/scan_device.h"
#include "study/bench/scan_hash.h"
#include "study/bench/scan_unoptimised.h"
#include "study/bench/team.h"
#include "study/data/numbers.h"

namespace lanewise::cli::bench {

namespace {

enum class ScanWork { bitmap, count, list, sum, min_max, valid };

struct WorkKind {
  std::string name;
  std::string title;
  ScanWork work;
  bool filters;  ///< the selectivity matters
};

const std::vector<WorkKind>& work_kinds() {
  static const std::vector<WorkKind> kKinds = {
      {"bitmap", "filter = 3 to a bitmap", ScanWork::bitmap, true},
      {"count", "filter = 3, count", ScanWork::count, true},
      {"list", "filter = 3 to a list of rows", ScanWork::list, true},
      {"sum", "SUM", ScanWork::sum, false},
      {"min_max", "MIN and MAX", ScanWork::min_max, false},
      {"valid", "COUNT of the rows that a bitmap names", ScanWork::valid, true},
  };
  return kKinds;
}

/// A column and a level's work on it. Threads take contiguous ranges of slices.
template <class T>
class Scan {
 public:
  Scan(std::shared_ptr<const std::vector<T>> values, std::shared_ptr<std::vector<uint64_t>> bitmap,
       ScanWork work, lanes::Target target, const Cancellation& cancellation,
       const Unoptimised* unoptimised = nullptr)
      : values_(std::move(values)),
        bitmap_(std::move(bitmap)),
        work_(work),
        kernels_(kernels::of<T>(target)),
        bits_(kernels::bits_of(target)),
        unoptimised_(unoptimised),
        cancellation_(cancellation) {}

  /// Does the task. The hash of its result does not depend on the number of threads, except for sums of
  /// floats. With `whole` it covers all rows of bitmaps and lists, otherwise only their counts.
  uint64_t run(int threads, bool pinned, bool whole, double* seconds) const {
    std::vector<uint64_t> digests(static_cast<size_t>(threads));
    const size_t slices = (values_->size() + kScanSlice - 1) / kScanSlice, team = digests.size();
    *seconds = run_team(threads, pinned, [&](int number) {
      const auto me = static_cast<size_t>(number);
      digests[me] = range(slices * me / team, slices * (me + 1) / team, whole);
    });
    uint64_t digest = 0;
    for (const uint64_t part : digests) digest += part;
    return digest;
  }

 private:
  /// Hashes of slices are added, so the order of threads does not matter.
  uint64_t range(size_t first, size_t last, bool whole) const {
    uint64_t words[kScanSlice / 64];
    std::vector<uint32_t> rows(work_ == ScanWork::list ? kScanSlice : 0);
    uint64_t digest = 0;
    for (size_t slice = first; slice < last; ++slice) {
      cancellation_.check();
      const size_t begin = slice * kScanSlice, count = std::min(kScanSlice, values_->size() - begin);
      digest += fold(slice, one_slice(begin, count, words, rows.data(), whole));
    }
    return digest;
  }

  uint64_t one_slice(size_t begin, size_t count, uint64_t* words, uint32_t* rows, bool whole) const {
    const T* const values = values_->data() + begin;
    uint64_t* const bitmap = bitmap_->data() + begin / 64;
    if constexpr (std::is_same_v<T, int32_t>) {
      if (unoptimised_ != nullptr) return without_optimisation(values, bitmap, count, whole);
    }
    const auto filter = [&](uint64_t* out) {
      kernels_.compare_constant(kernels::Comparison::eq, values, T{kTarget}, count, out);
    };
    uint64_t hash = 0;
    switch (work_) {
      case ScanWork::bitmap:
        filter(bitmap);
        for (size_t i = 0; whole && i < bits::words(count); ++i) hash = fold(hash, bitmap[i]);
        return hash;
      case ScanWork::count:
        filter(words);
        return bits_.count(words, count);
      case ScanWork::list: {
        filter(words);
        const size_t found = bits_.list(words, count, static_cast<uint32_t>(begin), rows);
        for (size_t i = 0; whole && i < found; ++i) hash = fold(hash, rows[i]);
        return fold(hash, found);
      }
      case ScanWork::sum: {
        const auto sum = kernels_.sum(values, nullptr, count);
        if constexpr (std::is_floating_point_v<T>) return bits_of_value(sum);
        return fold(static_cast<uint64_t>(sum), static_cast<uint64_t>(static_cast<int128_t>(sum) >> 64));
      }
      case ScanWork::min_max: {
        const auto found = kernels_.min_max(values, nullptr, count);
        return hash_of_bounds(found.min, found.max);
      }
      case ScanWork::valid:
        return bits_.count(bitmap, count);
    }
    return hash;
  }

  uint64_t without_optimisation(const int32_t* values, uint64_t* bitmap, size_t count, bool whole) const {
    if (work_ == ScanWork::sum) return hash_of_sum(unoptimised_->sum(values, count));
    if (work_ == ScanWork::valid) return unoptimised_->count(bitmap, count);
    if (work_ == ScanWork::min_max) {
      int32_t least = 0, most = 0;
      unoptimised_->min_max(values, count, &least, &most);
      return hash_of_bounds(least, most);
    }
    unoptimised_->filter(values, count, kTarget, bitmap);
    uint64_t hash = 0;
    for (size_t i = 0; whole && i < bits::words(count); ++i) hash = fold(hash, bitmap[i]);
    return hash;
  }

  std::shared_ptr<const std::vector<T>> values_;
  std::shared_ptr<std::vector<uint64_t>> bitmap_;
  ScanWork work_;
  const kernels::Kernels<T>& kernels_;
  const kernels::BitKernels& bits_;
  const Unoptimised* unoptimised_;  // null: the kernels
  const Cancellation& cancellation_;
};

/// Measures the columns one after the other: one for each selectivity.
template <class T>
class ScanRun {
 public:
  ScanRun(const ScanOptions& options, Bench& bench, const std::function<void(const Group&)>& emit)
      : options_(options), bench_(bench), emit_(emit) {}

  std::vector<Group> run() {
    bool first = true;
    for (const double percent : options_.selectivity) {
      bench_.say(fmt::format("generating {} values, {:g} % of them 3", options_.rows, percent));
      values_.reset();
      values_ = std::make_shared<const std::vector<T>>(
          make_numbers<T>(options_.rows, percent, options_.seed, [this] { bench_.cancellation().check(); }));
      make_bitmap();
      load_device();
      for (const WorkKind& kind : work_kinds()) {
        const bool wanted = options_.work.empty() || std::ranges::count(options_.work, kind.name) > 0;
        if (wanted && (kind.filters || first)) measure(kind, percent);
      }
      first = false;
    }
    return std::move(groups_);
  }

 private:
  void make_bitmap() {
    bitmap_ = std::make_shared<std::vector<uint64_t>>(bits::words(values_->size()));
    kernels::of<T>(lanes::simd())
        .compare_constant(kernels::Comparison::eq, values_->data(), T{kTarget}, values_->size(),
                          bitmap_->data());
  }

  /// Only columns of the study's type, and only if the options name a GPU.
  void load_device() {
    if constexpr (std::is_same_v<T, int32_t>) {
      if (options_.device == "cpu") return;
      try {
        if (on_device_ == nullptr) {
          gpu::Device* const device = find_device(options_.device);
          if (device == nullptr) return;
          on_device_ = std::make_unique<ScanOnDevice>(*device);
        }
        on_device_->load(*values_, *bitmap_);
      } catch (const CancelledError&) {
        throw;
      } catch (const std::exception& error) {
        no_device_ = error.what();
      }
    }
  }

  void add_device(std::vector<Contender>& contenders, const WorkKind& kind) {
    if (!no_device_.empty()) {
      for (const std::string& level : ScanOnDevice::level_names())
        contenders.push_back({.level = level, .not_offered = no_device_});
    } else if (on_device_ != nullptr && options_.shapes) {
      on_device_->add_shapes(contenders, kind.name);
    } else if (on_device_ != nullptr) {
      on_device_->add(contenders, kind.name);
    }
  }

  /// The level's work on the column, in so many threads.
  Contender level_of(const std::string& level, const std::shared_ptr<const Scan<T>>& scan, int threads,
                     bool pinned) {
    return {.level = level,
            .digest =
                [=] {
                  double seconds;
                  return scan->run(threads, pinned, true, &seconds);
                },
            .seconds =
                [=] {
                  double seconds;
                  scan->run(threads, pinned, false, &seconds);
                  return seconds;
                },
            .one_thread = threads == 1 && !pinned};
  }

  void measure(const WorkKind& kind, double percent) {
    for (const int threads : options_.threads) {
      if (options_.affinity != "with") measure(kind, percent, threads, false);
      if (options_.affinity != "without") measure(kind, percent, threads, true);
    }
  }

  void measure(const WorkKind& kind, double percent, int threads, bool pinned) {
    Group group;
    group.rows = values_->size();
    group.bytes = kind.work == ScanWork::valid ? bitmap_->size() * 8 : values_->size() * sizeof(T);
    group.title =
        fmt::format("{}: {} {}", kind.title, with_commas(static_cast<int64_t>(group.rows)), options_.type);
    if (kind.filters) group.title += fmt::format(", {:g} % selected", percent);
    if (threads > 1 || pinned) {
      group.title +=
          fmt::format(", {} thread{}{}", threads, threads == 1 ? "" : "s", pinned ? " with affinity" : "");
    }
    group.about = {{"work", kind.name},
                   {"type", options_.type},
                   {"selectivity", percent},
                   {"threads", threads},
                   {"affinity", pinned}};
    group.arguments = {"bench",  "scan",        "--work",        kind.name,
                       "--type", options_.type, "--selectivity", fmt::format("{}", percent)};
    std::vector<Contender> contenders;
    for (const lanes::Target target : lanes::kTargets) {
      const std::string level(lanes::name(target));
      if (target == lanes::Target::interleaved || !bench_.wants(level)) continue;  // it shares scalar's code
      if (!lanes::supported(target)) {
        contenders.push_back({level, "this machine does not support these instructions"});
        continue;
      }
      const auto scan = std::make_shared<Scan<T>>(values_, bitmap_, kind.work, target, bench_.cancellation());
      contenders.push_back(level_of(level, scan, threads, pinned));
    }
    if constexpr (std::is_same_v<T, int32_t>) {
      const bool has_loops = kind.work != ScanWork::count && kind.work != ScanWork::list;
      for (const Unoptimised& level : unoptimised_levels()) {
        if (!options_.unoptimised || !has_loops) continue;
        const auto scan = std::make_shared<Scan<T>>(values_, bitmap_, kind.work, lanes::Target::scalar,
                                                    bench_.cancellation(), &level);
        contenders.push_back(level_of(level.name, scan, threads, pinned));
      }
    }
    add_device(contenders, kind);
    groups_.push_back(bench_.measure(std::move(group), contenders));
    emit_(groups_.back());
  }

  const ScanOptions& options_;
  Bench& bench_;
  const std::function<void(const Group&)>& emit_;
  std::shared_ptr<const std::vector<T>> values_;
  std::shared_ptr<std::vector<uint64_t>> bitmap_;
  std::vector<Group> groups_;
  std::unique_ptr<ScanOnDevice> on_device_;
  std::string no_device_;  // why there is none, if one was requested
};

using ScanBench = std::vector<Group> (*)(const ScanOptions&, Bench&,
                                         const std::function<void(const Group&)>&);

template <class T>
std::vector<Group> run_type(const ScanOptions& options, Bench& bench,
                            const std::function<void(const Group&)>& emit) {
  return ScanRun<T>(options, bench, emit).run();
}

const std::vector<std::pair<std::string, ScanBench>>& types() {
  static const std::vector<std::pair<std::string, ScanBench>> kTypes = {
      {"int8", run_type<int8_t>},     {"int16", run_type<int16_t>},   {"int32", run_type<int32_t>},
      {"int64", run_type<int64_t>},   {"uint8", run_type<uint8_t>},   {"uint16", run_type<uint16_t>},
      {"uint32", run_type<uint32_t>}, {"uint64", run_type<uint64_t>}, {"float", run_type<float>},
      {"double", run_type<double>}};
  return kTypes;
}

/// 2^30, or the largest power of two whose int32 column takes at most a sixteenth of the memory.
uint64_t default_rows() {
  return std::min(uint64_t{1} << 30, std::bit_floor(static_cast<uint64_t>(machine_memory() / 16 / 4)));
}

}  // namespace

std::vector<Group> run_scan(const ScanOptions& given, Bench& bench,
                            const std::function<void(const Group&)>& emit) {
  ScanOptions options = given;
  if (options.rows == 0) options.rows = default_rows();
  if (options.rows > UINT32_MAX)
    throw UserError("more than 4294967295 rows: lists of rows have 32-bit numbers");
  if (options.selectivity.empty()) {
    options.selectivity = {0.1, 1, 10, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100};
  }
  const auto type = std::ranges::find(types(), options.type, &std::pair<std::string, ScanBench>::first);
  invariant(type != types().end(), "the command line checks the types");
  return type->second(options, bench, emit);
}

const std::vector<std::string>& scan_work_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const WorkKind& kind : work_kinds()) names.push_back(kind.name);
    return names;
  }();
  return kNames;
}

const std::vector<std::string>& scan_type_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, run] : types()) names.push_back(name);
    return names;
  }();
  return kNames;
}

}  // namespace lanewise::cli::bench
