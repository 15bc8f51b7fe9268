#include "exec/device/group_plan.h"

#include <algorithm>

#include "base/error.h"
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
  add_keys(aggregate.keys);
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    DeviceAggregate made = device_aggregate(call);
    const size_t in = input(call);
    GroupCell wanted{made.takes, made.keeps, in, TypeId::kInt64, {}, true};
    if (made.keeps != Keeps::kCount) {
      wanted.type = column_type(made);
      wanted.seen = cell({Takes::kPresent, Keeps::kCount, in, TypeId::kInt64, {}, is_average(call)});
    }
    calls_.push_back({std::move(made), cell(wanted)});
  }
  columns_.resize(cells_.size());
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i].is_column) continue;
    columns_[i] = partial_.size();
    partial_.push_back({"cell " + std::to_string(i), cells_[i].type});
  }
}

GroupPlan::GroupPlan(const Schema& schema) {
  std::vector<ExprPtr> keys;
  for (size_t i = 0; i < schema.size(); ++i) keys.push_back(lanewise::column(i, schema[i].type));
  add_keys(std::move(keys));
}

void GroupPlan::add_keys(std::vector<ExprPtr> keys) {
  if (keys.size() > kMostKeys) throw expr::NotOnDevice("GROUP BY so many keys is not offered on devices");
  keys_ = std::move(keys);
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

Table GroupPlan::merged(Table partial, const Options& options) const {
  std::vector<ExprPtr> keys, columns;
  std::vector<plan::AggregateCall> calls;
  std::vector<std::string> names;
  for (size_t i = 0; i < partial_.size(); ++i) {
    names.push_back(partial_[i].name);
    const ExprPtr read = lanewise::column(i, partial_[i].type);
    if (i < keys_.size()) {
      keys.push_back(read);
      columns.push_back(read);
    }
  }
  for (const GroupCell& cell : cells_) {
    if (!cell.is_column) continue;
    plan::AggregateCall call;
    call.function = merging(cell.keeps);
    call.args = {lanewise::column(columns.size(), cell.type)};
    call.type = cell.keeps == Keeps::kCount ? Type(TypeId::kInt128) : cell.type;
    const ExprPtr made = lanewise::column(columns.size(), call.type);
    columns.push_back(call.type == cell.type ? made : cast(made, cell.type));
    calls.push_back(std::move(call));
  }
  const plan::NodePtr rows = plan::values(std::make_shared<const Table>(std::move(partial)));
  Options host = options;
  host.accelerator = nullptr;
  host.store = nullptr;
  host.progress = nullptr;
  const plan::NodePtr groups = plan::aggregate(rows, std::move(keys), std::move(calls), names);
  return execute(plan::project(groups, std::move(columns), names), host).table;
}

Table GroupPlan::finish(const Table& partial, const Schema& output, MemoryBudget* budget) const {
  Table table{output, {}};
  for (const Batch& batch : partial.batches) {
    const auto keys = static_cast<ptrdiff_t>(keys_.size());
    Batch made{batch.rows, {batch.columns.begin(), batch.columns.begin() + keys}};
    for (const Call& call : calls_) made.columns.push_back(finish(call, batch, budget));
    table.batches.push_back(std::move(made));
  }
  return table;
}

ColumnPtr GroupPlan::finish(const Call& call, const Batch& batch, MemoryBudget* budget) const {
  const GroupCell& cell = cells_[call.cell];
  const Column& from = column(batch, call.cell);
  const Type type = call.aggregate.call.type;
  const auto rows = static_cast<uint32_t>(batch.rows);
  const auto present = [&](uint32_t i) { return !from.is_null(i); };
  if (is_average(call.aggregate.call)) {
    const auto* counts = column(batch, *cell.seen).values.as<int64_t>();
    if (cell.type == TypeId::kFloat64) {
      const auto* sums = from.values.as<double>();
      return ops::number_column<double>(type, rows, budget, present,
                                        [&](uint32_t i) { return sums[i] / static_cast<double>(counts[i]); });
    }
    const auto* sums = from.values.as<int128_t>();
    const ops::AverageRule rule(call.aggregate.call.args[0]->type);
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
