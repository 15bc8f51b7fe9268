#include "exec/device/group_plan.h"

#include <algorithm>

#include "base/error.h"
#include "exec/device/host_run.h"
#include "exec/device/ranks.h"
#include "expr/device/emitter.h"
#include "ops/aggregate/average.h"
#include "ops/aggregate/states.h"

namespace lanewise::exec {

namespace {

using Takes = DeviceAggregate::Takes;
using Keeps = DeviceAggregate::Keeps;

/// NULLs of a key are bits of a word.
constexpr size_t kMostKeys = 32;

std::string text_of(const ExprPtr& expr) { return expr == nullptr ? "" : expr->to_string(); }

Type column_type(const DeviceAggregate& aggregate) {
  const Type arg = aggregate.call.args[0]->type;
  if (aggregate.keeps != Keeps::kSum) return arg;
  return arg.is_float() ? TypeId::kFloat64 : TypeId::kInt128;
}

/// The aggregate that puts partial ones together.
const char* merging(Keeps keeps) {
  return keeps == Keeps::kLeast ? "min" : keeps == Keeps::kMost ? "max" : "sum";
}

}  // namespace

GroupPlan::GroupPlan(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (is_distinct(call) || is_ranked(call)) {
      add_distinct(call);
      if (is_ranked(call)) {
        ranked_ = true;
        cell({Takes::kRows, Keeps::kCount, kNoInput, TypeId::kInt64, {}, true});
      }
      calls_.push_back({call, Keeps::kCount, kNoCell});
      continue;
    }
    const DeviceAggregate made = device_aggregate(call);
    const size_t in = input(call);
    GroupCell wanted{made.takes, made.keeps, in, TypeId::kInt64, {}, true};
    if (made.keeps != Keeps::kCount) {
      wanted.type = column_type(made);
      wanted.seen = cell({Takes::kPresent, Keeps::kCount, in, TypeId::kInt64, {}, is_average(call)});
    }
    calls_.push_back({call, made.keeps, cell(wanted)});
  }
  std::vector<ExprPtr> keys = aggregate.keys;
  if (distinct_ != nullptr) keys.push_back(distinct_);
  add_keys(std::move(keys));
  group_keys_ = aggregate.keys.size();
  columns_.resize(cells_.size());
  size_t columns = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i].is_column) continue;
    columns_[i] = columns++;
    partial_.push_back({"cell " + std::to_string(i), cells_[i].type});
  }
}

/// Its argument, NULL where its filter leaves a row out, becomes a key.
void GroupPlan::add_distinct(const plan::AggregateCall& call) {
  ExprPtr value = call.args[0];
  if (call.filter != nullptr) value = case_when({call.filter, value, literal(Value(value->type))});
  invariant(distinct_ == nullptr || text_of(distinct_) == text_of(value),
            "a pass has the DISTINCT values of one expression");
  distinct_ = std::move(value);
}

GroupPlan::GroupPlan(const Schema& schema) {
  std::vector<ExprPtr> keys;
  for (size_t i = 0; i < schema.size(); ++i) keys.push_back(lanewise::column(i, schema[i].type));
  add_keys(std::move(keys));
  group_keys_ = keys_.size();
}

void GroupPlan::add_keys(std::vector<ExprPtr> keys) {
  if (keys.size() > kMostKeys) throw expr::NotOnDevice("GROUP BY so many keys is not offered on devices");
  keys_ = std::move(keys);
  for (const ExprPtr& key : keys_) {
    if (key->type.id == TypeId::kInterval)
      throw expr::NotOnDevice("GROUP BY an interval is not offered on devices");
  }
  for (const ExprPtr& key : keys_) partial_.push_back({"key " + std::to_string(partial_.size()), key->type});
}

size_t GroupPlan::input(const plan::AggregateCall& call) {
  const Input wanted{call.args.empty() ? nullptr : call.args[0], call.filter};
  if (wanted.arg == nullptr && wanted.filter == nullptr) return kNoInput;
  const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& input) {
    return text_of(input.arg) == text_of(wanted.arg) && text_of(input.filter) == text_of(wanted.filter);
  });
  const auto place = static_cast<size_t>(found - inputs_.begin());
  if (found == inputs_.end()) inputs_.push_back(wanted);
  return place;
}

size_t GroupPlan::cell(const GroupCell& wanted) {
  const auto found = std::find_if(cells_.begin(), cells_.end(), [&](const GroupCell& cell) {
    return cell.takes == wanted.takes && cell.keeps == wanted.keeps && cell.input == wanted.input;
  });
  const auto place = static_cast<size_t>(found - cells_.begin());
  if (found == cells_.end()) {
    cells_.push_back(wanted);
  } else {
    found->is_column |= wanted.is_column;
  }
  return place;
}

Table GroupPlan::merged(Table partial, bool several, const Options& options) const {
  if (ranked_) partial = values_at_ranks(std::move(partial), group_keys_, calls_.front().call, options);
  std::vector<ExprPtr> keys, columns;  // of the groups that are made; `columns` are what is kept of them
  std::vector<plan::AggregateCall> calls;
  std::vector<std::string> names;
  for (size_t i = 0; i < group_keys_; ++i) keys.push_back(lanewise::column(i, partial_[i].type));
  columns = keys;
  size_t from = keys_.size();  // the partial groups' column
  for (const GroupCell& cell : cells_) {
    if (!cell.is_column) continue;
    plan::AggregateCall call;
    call.function = merging(cell.keeps);
    call.args = {lanewise::column(from++, cell.type)};
    call.type = cell.keeps == Keeps::kCount ? Type(TypeId::kInt128) : cell.type;
    ExprPtr made = lanewise::column(columns.size(), call.type);
    if (cell.keeps == Keeps::kCount)
      made = cast(coalesce({made, literal(Value(call.type, int128_t{0}))}), cell.type);
    columns.push_back(std::move(made));
    calls.push_back(std::move(call));
  }
  for (const Call& call : calls_) {
    if (call.cell != kNoCell) continue;
    calls.push_back(call.call);
    calls.back().args[0] = lanewise::column(group_keys_, ranked_ ? call.call.type : distinct_->type);
    calls.back().filter = nullptr;
    calls.back().distinct = several && !ranked_;
    if (ranked_) {  // of one value
      calls.back().function = "max";
      calls.back().args.resize(1);
    }
    columns.push_back(lanewise::column(columns.size(), call.call.type));
  }
  for (size_t i = 0; i < columns.size(); ++i) names.push_back("column " + std::to_string(i));
  const plan::NodePtr rows = plan::values(std::make_shared<const Table>(std::move(partial)));
  const plan::NodePtr groups = plan::aggregate(rows, std::move(keys), std::move(calls), names);
  return run_on_host(plan::project(groups, std::move(columns), names), options);
}

Table GroupPlan::finish(const Table& groups, const Schema& output, MemoryBudget* budget) const {
  Table table{output, {}};
  for (const Batch& batch : groups.batches) {
    const auto keys = static_cast<ptrdiff_t>(group_keys_);
    Batch made{batch.rows, {batch.columns.begin(), batch.columns.begin() + keys}};
    size_t distinct = group_keys_ + partial_.size() - keys_.size();  // the next column of such a call
    for (const Call& call : calls_)
      made.columns.push_back(call.cell == kNoCell ? batch.columns[distinct++] : finish(call, batch, budget));
    table.batches.push_back(std::move(made));
  }
  return table;
}

ColumnPtr GroupPlan::finish(const Call& call, const Batch& batch, MemoryBudget* budget) const {
  const GroupCell& cell = cells_[call.cell];
  const Column& from = column(batch, call.cell);
  const Type type = call.call.type;
  const auto rows = static_cast<uint32_t>(batch.rows);
  const auto present = [&](uint32_t i) { return !from.is_null(i); };
  if (is_average(call.call)) {
    const auto* counts = column(batch, *cell.seen).values.as<int64_t>();
    if (cell.type == TypeId::kFloat64) {
      const auto* sums = from.values.as<double>();
      return ops::number_column<double>(type, rows, budget, present,
                                        [&](uint32_t i) { return sums[i] / static_cast<double>(counts[i]); });
    }
    const auto* sums = from.values.as<int128_t>();
    const ops::AverageRule rule(call.call.args[0]->type);
    return ops::number_column<double>(type, rows, budget, present,
                                      [&](uint32_t i) { return rule(sums[i], counts[i]); });
  }
  if (cell.keeps == Keeps::kCount && type.physical() == Physical::kInt128) {  // count_if
    const auto* counts = from.values.as<int64_t>();
    return ops::number_column<int128_t>(type, rows, budget, present,
                                        [&](uint32_t i) { return int128_t{counts[i]}; });
  }
  auto column = std::make_shared<Column>(from);
  invariant(type.physical() == from.type.physical(), "a cell holds what its aggregate gives");
  column->type = type;  // the sum of decimals is one
  return column;
}

}  // namespace lanewise::exec
