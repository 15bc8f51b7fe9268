#include "exec/recursion/recursion_rows.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/arena.h"
#include "ops/pick.h"

namespace lanewise::exec {

namespace {
constexpr std::string_view kWhat = "WITH RECURSIVE";
constexpr uint32_t kNumbered = 2048;     // rows at a time
constexpr uint32_t kRows = 1u << 16;     // in a batch
constexpr int64_t kCompacted = 1 << 16;  // fewer rows are not worth it
}  // namespace

RecursionRows::RecursionRows(const plan::Recursion& recursion, const Schema& schema, MemoryBudget* budget,
                             const Cancellation* cancellation)
    : schema_(schema),
      budget_(budget),
      cancellation_(cancellation),
      keys_(recursion.keys),
      replaces_(recursion.replaces()) {
  if (!recursion.distinct && !replaces_) return;
  if (!replaces_) {
    keys_.resize(schema.size());
    std::iota(keys_.begin(), keys_.end(), size_t{0});
  }
  std::vector<Type> types;
  for (const size_t key : keys_) types.push_back(schema[key].type);
  known_ = std::make_unique<Grouping>(std::move(types), budget, kWhat);
}

Table RecursionRows::add(Table round) {
  if (known_ != nullptr && !replaces_) return new_rows(round);
  for (const Batch& batch : round.batches) {
    if (batch.rows == 0) continue;
    if (replaces_) {
      number(batch);
      places_.resize(known_->size());
      for (uint32_t row = 0; row < batch.rows; ++row)
        places_[numbers_[row]] = {static_cast<uint32_t>(batches_.size()), row};
    }
    batches_.push_back(batch);
    rows_ += batch.rows;
  }
  if (replaces_) compact();
  return round;
}

Table RecursionRows::new_rows(const Table& round) {
  const uint32_t before = known_->size();
  for (const Batch& batch : round.batches) {
    if (batch.rows != 0) number(batch);
  }
  return {schema_, numbered(before, known_->size())};
}

Table RecursionRows::all() const {
  if (known_ == nullptr) return {schema_, batches_};
  if (!replaces_) return {schema_, numbered(0, known_->size())};
  std::vector<const Batch*> parts;
  for (const Batch& batch : batches_) parts.push_back(&batch);
  std::vector<KeyRow> rows;
  for (const Place& place : places_) rows.push_back({0, row_of(place.batch, place.row)});
  Table result = ops::pick_table(schema_, parts, rows, budget_, kWhat, cancellation_);
  uint32_t first = 0;
  for (Batch& batch : result.batches) {
    std::vector<uint32_t> numbers(static_cast<size_t>(batch.rows));
    std::iota(numbers.begin(), numbers.end(), first);
    first += static_cast<uint32_t>(batch.rows);
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (key_is_lossy(schema_[keys_[i]].type)) batch.columns[keys_[i]] = known_->column(i, numbers);
    }
  }
  return result;
}

void RecursionRows::number(const Batch& batch) {
  numbers_.resize(static_cast<size_t>(batch.rows));
  Arena arena(budget_, kWhat);
  for (int64_t first = 0; first < batch.rows; first += kNumbered) {
    if (cancellation_ != nullptr) cancellation_->check();
    arena.reset();
    const auto count = static_cast<uint32_t>(std::min<int64_t>(kNumbered, batch.rows - first));
    std::vector<Vector> keys;
    for (const size_t key : keys_) keys.push_back(slice(*batch.columns[key], first, count, arena));
    known_->find_or_add(keys, ActiveSet(count, arena), numbers_.data() + first);
  }
}

std::vector<Batch> RecursionRows::numbered(uint32_t first, uint32_t end) const {
  std::vector<Batch> batches;
  std::vector<uint32_t> numbers;
  for (; first < end; first += static_cast<uint32_t>(numbers.size())) {
    numbers.resize(std::min(kRows, end - first));
    std::iota(numbers.begin(), numbers.end(), first);
    Batch& batch = batches.emplace_back(Batch{static_cast<int64_t>(numbers.size()), {}});
    for (size_t key = 0; key < keys_.size(); ++key) batch.columns.push_back(known_->column(key, numbers));
  }
  return batches;
}

void RecursionRows::compact() {
  const auto kept = static_cast<int64_t>(places_.size());
  if (rows_ < kCompacted || rows_ / 2 < kept) return;
  batches_ = all().batches;
  rows_ = kept;
  size_t key = 0;
  for (uint32_t batch = 0; batch < batches_.size(); ++batch) {
    for (uint32_t row = 0; row < batches_[batch].rows; ++row) places_[key++] = {batch, row};
  }
}

}  // namespace lanewise::exec
