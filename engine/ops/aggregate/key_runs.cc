#include "ops/aggregate/key_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <optional>

#include "base/int128.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

/// Keys of a run: their table, of 16 bytes a slot, stays in the second-level cache with a chunk's keys to
/// spare.
constexpr uint32_t kRunKeys = 72 << 10;
/// Keys of a run without a table: more, so that partitions are longer when runs are merged.
constexpr uint32_t kAppendedKeys = 256 << 10;
/// A run with fewer rows than this fraction of all keys rarely repeats one.
constexpr double kSeldomRepeats = 0.2;
/// As few keys are found so fast that comparing neighbouring rows gains nothing.
constexpr uint32_t kKeysWithoutRuns = 512;
/// Keys of one partition when runs are merged.
constexpr size_t kPartitionKeys = size_t{1} << 15;

/// The estimated number of keys, if `rows` random rows show `found` of them: found = keys * (1 - e^(-rows /
/// keys)).
size_t estimated_keys(size_t rows, size_t found) {
  double low = static_cast<double>(found), high = 1e12;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    const double shown = -middle * std::expm1(-static_cast<double>(rows) / middle);
    (shown < static_cast<double>(found) ? low : high) = middle;
  }
  return static_cast<size_t>(high);
}

/// Sets a bit of `to`, by row, for each active row from the first-th to the end-th whose value is not that of
/// the active row before. `list` are the active rows; null: all.
template <class T>
void mark_changes(const T* values, const uint32_t* list, uint32_t first, uint32_t end, uint64_t* to) {
  if (list == nullptr) {
    for (uint32_t row = first; row < end;) {
      const uint32_t last = std::min(end, (row / 64 + 1) * 64);
      uint64_t changes = 0;
      for (uint32_t i = row; i < last; ++i)
        changes |= uint64_t{values[i] != values[i == 0 ? 0 : i - 1]} << i % 64;
      to[row / 64] |= changes;
      row = last;
    }
    return;
  }
  for (uint32_t i = std::max(first, 1U); i < end; ++i)
    if (values[list[i]] != values[list[i - 1]]) bits::set(to, list[i]);
}

void mark_changes(const Vector& key, const uint32_t* list, uint32_t first, uint32_t end, uint64_t* to) {
  if (key.constant) return;
  const size_t bytes = key.form == Vector::Form::kDictionary ? sizeof(uint32_t) : width(key.type.physical());
  switch (bytes) {
    case 1:
      return mark_changes(key.as<uint8_t>(), list, first, end, to);
    case 2:
      return mark_changes(key.as<uint16_t>(), list, first, end, to);
    case 4:
      return mark_changes(key.as<uint32_t>(), list, first, end, to);
    case 8:
      return mark_changes(key.as<uint64_t>(), list, first, end, to);
    default:
      return mark_changes(key.as<int128_t>(), list, first, end, to);
  }
}

/// The active rows whose keys are not, bit by bit, those of the active row before. Nothing: these are most
/// rows, or keys are not of a fixed width, or may be NULL.
std::optional<ActiveSet> changes_of(std::span<const Vector> keys, const ActiveSet& rows) {
  constexpr uint32_t kSample = 64;
  if (rows.count() < kSample) return std::nullopt;
  for (const Vector& key : keys) {
    const bool is_fixed =
        key.form == Vector::Form::kDictionary || (key.form == Vector::Form::kValues && !key.type.is_string());
    if (!is_fixed || key.validity != nullptr) return std::nullopt;
  }
  const uint32_t* const list = rows.all() ? nullptr : rows.list().data();
  const size_t words = bits::words(rows.rows());
  auto* const found = rows.arena().allocate<uint64_t>(words);
  std::fill_n(found, words, 0);
  bits::set(found, list == nullptr ? 0 : list[0]);
  for (const Vector& key : keys) mark_changes(key, list, 0, kSample, found);
  if (bits::count(found, rows.rows()) > kSample / 2) return std::nullopt;
  for (const Vector& key : keys) mark_changes(key, list, kSample, rows.count(), found);
  ActiveSet changes = rows.narrowed(found);
  if (changes.count() > rows.count() / 2) return std::nullopt;
  return changes;
}

}  // namespace

void KeyRun::arrange(const std::function<KeyRun()>& start) {
  for (const auto& accumulator : accumulators) accumulator->seal();
  if (!std::ranges::all_of(accumulators,
                           [](const auto& accumulator) { return accumulator->merge_copies(); })) {
    partitions = partition(keys->tags(), kPartitionBits);
    return;
  }
  std::vector<uint32_t> from;
  partitions = keys->arrange(kPartitionBits, &from);
  if (from.empty() || accumulators.empty()) return;
  std::vector<std::unique_ptr<Accumulator>> arranged = start().accumulators;
  for (size_t i = 0; i < accumulators.size(); ++i) {
    arranged[i]->resize(keys->size());
    arranged[i]->merge(*accumulators[i], from, partitions.groups.data());
    arranged[i]->seal();
    accumulators[i] = std::move(arranged[i]);
  }
}

bool RunLimit::reached(size_t rows, uint32_t keys, MemoryBudget* budget) {
  rows_in_run_ += rows;
  rows_ += rows;
  if (keys < (mostly_new_ ? kAppendedKeys : kRunKeys)) return false;
  if (one_table_) return budget != nullptr && budget->is_short();
  if (!mostly_new_) {
    expected_ = estimated_keys(rows_in_run_, keys);
    mostly_new_ = static_cast<double>(rows_in_run_) < kSeldomRepeats * static_cast<double>(expected_);
  }
  one_table_ = rows_ > 2 * expected_;  // from the next run on
  mostly_new_ &= !one_table_;
  rows_in_run_ = 0;
  return true;
}

uint32_t number_keys(Grouping& keys, const RunLimit& limit, std::span<const Vector> values,
                     const ActiveSet& rows, uint32_t* groups) {
  const auto changes = keys.size() < kKeysWithoutRuns ? std::nullopt : changes_of(values, rows);
  const ActiveSet& wanted = changes ? *changes : rows;
  limit.mostly_new() ? keys.append_rows(values, wanted, groups) : keys.find_or_add(values, wanted, groups);
  if (changes) {
    const uint64_t* const found = wanted.bitmap();
    uint32_t group = 0;
    rows.for_each([&](uint32_t row) { groups[row] = group = bits::test(found, row) ? groups[row] : group; });
  }
  return wanted.count();
}

DistinctRows::DistinctRows(const std::vector<Type>& types, MemoryBudget* budget, std::string_view what)
    : budget_(budget), what_(what), keys_(types, budget, what) {}

void DistinctRows::add(std::span<const Vector> values, const ActiveSet& rows) {
  if (rows.none()) return;
  const Allocations::Scope scope(allocations_, what_);
  const uint32_t looked_up =
      number_keys(keys_, limit_, values, rows, rows.arena().allocate<uint32_t>(rows.rows()));
  if (limit_.reached(looked_up, keys_.size(), budget_)) {
    runs_.push_back({keys_.take(), {}, {}});
    runs_.back().arrange({});
    spill_if_short(allocations_, budget_);
  } else if (limit_.expected_keys() > keys_.size()) {
    keys_.reserve(limit_.expected_keys());
  }
}

std::vector<KeyRun> DistinctRows::take() {
  if (keys_.size() != 0) runs_.push_back({keys_.take(), {}, {}});
  return std::move(runs_);
}

void spill_if_short(Allocations& runs, MemoryBudget* budget) {
  if (budget != nullptr && budget->is_short()) runs.spill(budget);
}

int merge_bits(size_t keys) {
  return keys <= kPartitionKeys ? 0 : std::min<int>(std::bit_width(keys / kPartitionKeys), kPartitionBits);
}

void merge_partitions(std::span<KeyRun> runs, int bits, const std::function<KeyRun()>& start,
                      const Cancellation* cancellation, const std::function<void(size_t, KeyRun&)>& body) {
  parallel_for(runs.size(), [&](size_t i) {
    if (runs[i].partitions.starts.empty()) runs[i].arrange(start);
  });
  const size_t finer = size_t{1} << (kPartitionBits - bits);
  std::mutex mutex;
  std::vector<std::unique_ptr<Grouping>> spare;  // tables of finished partitions, for reuse
  parallel_for(size_t{1} << bits, [&](size_t p) {
    KeyRun merged = start();
    {
      const std::lock_guard lock(mutex);
      if (!spare.empty()) {
        merged.keys = std::move(spare.back());
        spare.pop_back();
      }
    }
    if (cancellation != nullptr) cancellation->check();
    std::vector<Grouping::Part> parts;
    size_t total = 0;
    for (const KeyRun& run : runs) {
      parts.push_back(
          {run.keys.get(), run.partitions.part(p * finer, (p + 1) * finer), run.partitions.in_order});
      total += parts.back().groups.size();
    }
    merged.keys->reserve(std::min(total, kPartitionKeys * 2));
    std::vector<uint32_t> to(total);
    merged.keys->absorb(parts, to.data());
    for (size_t i = 0; i < merged.accumulators.size(); ++i) {
      merged.accumulators[i]->resize(merged.keys->size());
      const uint32_t* next = to.data();
      for (size_t r = 0; r < runs.size(); ++r) {
        merged.accumulators[i]->merge(*runs[r].accumulators[i], parts[r].groups, next);
        next += parts[r].groups.size();
      }
    }
    body(p, merged);
    if (merged.keys == nullptr) return;
    merged.keys->clear();
    const std::lock_guard lock(mutex);
    spare.push_back(std::move(merged.keys));
  });
}

}  // namespace lanewise::ops
