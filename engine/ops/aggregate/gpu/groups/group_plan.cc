#include "ops/aggregate/gpu/groups/group_plan.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "expr/codegen/emitter.h"
#include "expr/functions/build.h"
#include "ops/aggregate/accumulators/states.h"
#include "ops/aggregate/functions/average.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/functions/moments.h"
#include "ops/aggregate/gpu/ranks.h"
#include "ops/run/options.h"

namespace lanewise::ops {

namespace {

using Kind = GroupCell::Kind;

/// NULLs of a key are bits of a word.
constexpr size_t kMostKeys = 32;

Type column_type(Reduction reduction, Type arg) {
  if (reduction == Reduction::kCompensatedSum || reduction == Reduction::kProduct ||
      reduction == Reduction::kMoments)
    return TypeId::kFloat64;
  if (reduction != Reduction::kSum) return arg;
  return arg.is_float() ? TypeId::kFloat64 : TypeId::kInt128;
}

/// The aggregate that puts partial ones together; null: those that the host aggregates as a whole.
const char* merging(const GroupCell& cell) {
  if (cell.of) return nullptr;
  switch (cell.reduction) {
    case Reduction::kCountRows:
    case Reduction::kCount:
    case Reduction::kCountTrue:
    case Reduction::kSum:
      return "sum";
    case Reduction::kCompensatedSum:
      return "kahan_sum";
    case Reduction::kMin:
      return "min";
    case Reduction::kMax:
      return "max";
    case Reduction::kBitAnd:
      return "bit_and";
    case Reduction::kBitOr:
      return "bit_or";
    case Reduction::kBitXor:
      return "bit_xor";
    case Reduction::kProduct:
      return "product";
    default:
      return nullptr;
  }
}

bool is_interval(const ExprPtr& expr) { return expr->type.id == TypeId::kInterval; }

}  // namespace

GroupPlan::GroupPlan(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) add(call);
  std::vector<ExprPtr> keys = aggregate.keys;
  if (distinct_ != nullptr) keys.push_back(distinct_);
  add_keys(std::move(keys));
  group_keys_ = aggregate.keys.size();
  add_columns();
}

GroupPlan::GroupPlan(const Schema& schema) {
  std::vector<ExprPtr> keys;
  for (size_t i = 0; i < schema.size(); ++i) keys.push_back(lanewise::column(i, schema[i].type));
  add_keys(std::move(keys));
  group_keys_ = keys_.size();
  add_columns();
}

void GroupPlan::add(const plan::AggregateCall& call) {
  if (is_distinct(call) || is_ranked(call)) {
    add_distinct(call);
    if (is_ranked(call)) {
      ranked_ = true;
      cell({Reduction::kCountRows, kNoInput, TypeId::kInt64, {}, true});
    }
    calls_.push_back({call});
    return;
  }
  if (const std::optional<Pick> pick = pick_of(call)) return add_pick(call, *pick);
  if (is_average(call) && is_interval(call.args[0])) return add_average(call);
  const Reduction reduction = device_reduction(call);
  const size_t in = input(call.args.empty() ? nullptr : call.args[0], call.filter);
  GroupCell wanted{reduction, in, TypeId::kInt64, {}, true};
  if (!is_count(reduction)) {
    wanted.type = column_type(reduction, call.args[0]->type);
    wanted.seen = count(in, is_average(call) || is_spread(call));
  }
  const size_t place = cell(wanted);
  if (!is_spread(call)) {
    calls_.push_back({call, place});
    return;
  }
  const size_t squares = cell({.reduction = reduction,
                               .input = in,
                               .type = TypeId::kFloat64,
                               .seen = wanted.seen,
                               .is_column = true,
                               .kind = Kind::kSquares,
                               .of = place});
  calls_.push_back({call, kNoCell, {*wanted.seen, place, squares}});
}

/// How many values of an input there are.
size_t GroupPlan::count(size_t input, bool is_column) {
  return cell({Reduction::kCount, input, TypeId::kInt64, {}, is_column});
}

/// Its parts are its arguments and the keys of its ORDER BY in the row that is picked; with a filter, whether
/// there is one.
void GroupPlan::add_pick(const plan::AggregateCall& call, const Pick& pick) {
  const ExprPtr taken = pick.skips_null ? call.args[0] : nullptr;
  GroupCell row{.reduction = Reduction::kCount,
                .input = input(taken, call.filter),
                .type = TypeId::kInt64,
                .seen = {},
                .is_column = false,
                .kind = Kind::kRow};
  if (pick.by != nullptr) row.ranks.push_back({input(pick.by, call.filter), pick.greatest, true});
  // The last row in an order is the first of the reversed one; rows that tie stay in the input's order.
  for (const plan::SortKey& key : call.order) {
    row.ranks.push_back({.input = input(key.expr, call.filter),
                         .greatest = key.descending != pick.last,
                         .nulls_first = key.nulls_first != pick.last});
  }
  row.last = pick.last && call.order.empty();
  const size_t of = cell(row);
  const auto part = [&](Kind kind, size_t in, Type type) {
    return cell({.reduction = Reduction::kCountRows,
                 .input = in,
                 .type = type,
                 .seen = {},
                 .is_column = true,
                 .kind = kind,
                 .of = of});
  };
  const auto picked = [&](const ExprPtr& expr) {
    return part(Kind::kPicked, input(expr, call.filter, false), expr->type);
  };
  Call made{call};
  for (const ExprPtr& arg : call.args) made.parts.push_back(picked(arg));
  for (const plan::SortKey& key : call.order) made.parts.push_back(picked(key.expr));
  if (call.filter != nullptr) made.parts.push_back(part(Kind::kIsPicked, kNoInput, TypeId::kBool));
  calls_.push_back(std::move(made));
}

void GroupPlan::add_average(const plan::AggregateCall& of_intervals) {
  const size_t in = input(of_intervals.args[0], of_intervals.filter);
  Call made{of_intervals};
  for (const Kind kind : {Kind::kMonths, Kind::kDays, Kind::kMicros}) {
    made.parts.push_back(cell({.reduction = Reduction::kSum,
                               .input = in,
                               .type = TypeId::kInt128,
                               .seen = count(in, true),
                               .is_column = true,
                               .kind = kind}));
  }
  made.cell = made.parts[0];
  calls_.push_back(std::move(made));
}

void GroupPlan::add_columns() {
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
  invariant(distinct_ == nullptr || equal(distinct_, value),
            "a pass has the DISTINCT values of one expression");
  distinct_ = std::move(value);
}

void GroupPlan::add_keys(std::vector<ExprPtr> keys) {
  if (keys.size() > kMostKeys) throw expr::NotOnDevice("GROUP BY so many keys is not supported on GPUs");
  keys_ = std::move(keys);
  if (std::any_of(keys_.begin(), keys_.end(), is_interval)) {
    first_row_ = cell({.reduction = Reduction::kCountRows,
                       .input = kNoInput,
                       .type = TypeId::kInt64,
                       .seen = {},
                       .is_column = false,
                       .kind = Kind::kRow});
  }
  for (const ExprPtr& key : keys_) partial_.push_back({"key " + std::to_string(partial_.size()), key->type});
}

std::optional<size_t> GroupPlan::row_of_key(size_t key) const {
  return is_interval(keys_[key]) ? first_row_ : std::nullopt;
}

bool GroupPlan::needs_merge() const { return distinct_ != nullptr || group_keys_ == 0; }

std::optional<std::vector<size_t>> GroupPlan::result_columns() const {
  if (needs_merge()) return std::nullopt;
  std::vector<size_t> columns(group_keys_);
  std::iota(columns.begin(), columns.end(), size_t{0});
  for (const Call& call : calls_) {
    if (call.cell == kNoCell && call.parts.empty()) return std::nullopt;
    const size_t cell = call.cell != kNoCell ? call.cell : call.parts[0];
    const bool is_made = is_spread(call.call) || (call.cell != kNoCell && is_average(call.call));
    if (is_made || cells_[cell].type.physical() != call.call.type.physical()) return std::nullopt;
    columns.push_back(group_keys_ + columns_[cell]);
  }
  return columns;
}

bool GroupPlan::counts_values() const {
  return distinct_ != nullptr && group_keys_ == 0 && partial_.size() == 1 &&
         std::all_of(calls_.begin(), calls_.end(), [](const Call& call) {
           return call.cell == kNoCell && call.parts.empty() &&
                  function_of(call.call).reduction == Reduction::kCount;
         });
}

Table GroupPlan::finish(uint64_t values, const Schema& output) const {
  Batch row{1, {}};
  for (const Field& field : output)
    row.columns.push_back(make_column(field.type, {Value(field.type, static_cast<int64_t>(values))}));
  return {output, {std::move(row)}};
}

size_t GroupPlan::input(const ExprPtr& arg, const ExprPtr& filter, bool computed) {
  if (arg == nullptr && filter == nullptr) return kNoInput;
  const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& input) {
    return equal(input.arg, arg) && equal(input.filter, filter);
  });
  const auto place = static_cast<size_t>(found - inputs_.begin());
  if (found == inputs_.end()) {
    inputs_.push_back({arg, filter, computed});
  } else {
    found->is_computed |= computed;
  }
  return place;
}

size_t GroupPlan::cell(const GroupCell& wanted) {
  const auto found =
      std::find_if(cells_.begin(), cells_.end(), [&](const GroupCell& cell) { return cell.same(wanted); });
  const auto place = static_cast<size_t>(found - cells_.begin());
  if (found == cells_.end()) {
    cells_.push_back(wanted);
  } else {
    found->is_column |= wanted.is_column;
  }
  return place;
}

/// The call over partial groups whose result is the call's over all rows.
plan::AggregateCall GroupPlan::merging(const Call& call, bool several) const {
  plan::AggregateCall made = call.call;
  made.filter = nullptr;
  if (!call.parts.empty()) {
    auto part = call.parts.begin();
    const auto next = [&] {
      const size_t cell = *part++;
      return lanewise::column(keys_.size() + columns_[cell], cells_[cell].type);
    };
    if (is_spread(call.call)) made.args.resize(call.parts.size());
    for (ExprPtr& arg : made.args) arg = next();
    for (plan::SortKey& key : made.order) key.expr = next();
    if (part != call.parts.end()) made.filter = next();
    return made;
  }
  made.args[0] = lanewise::column(group_keys_, ranked_ ? call.call.type : distinct_->type);
  made.distinct = several && !ranked_;
  if (ranked_) {  // of one value
    made.function = "max";
    made.args.resize(1);
  }
  return made;
}

Table GroupPlan::merged(Table partial, bool several, const Options& options) const {
  if (ranked_) partial = values_at_ranks(std::move(partial), group_keys_, calls_.front().call, options);
  std::vector<ExprPtr> keys, columns;  // of the groups that are made; `columns` are what is kept of them
  std::vector<plan::AggregateCall> calls;
  for (size_t i = 0; i < group_keys_; ++i) keys.push_back(lanewise::column(i, partial_[i].type));
  columns = keys;
  size_t from = keys_.size();  // the partial groups' column
  for (const GroupCell& cell : cells_) {
    if (!cell.is_column) continue;
    const size_t part = from++;
    const char* const function = ops::merging(cell);
    if (function == nullptr) {  // it is not read
      columns.push_back(literal(Value(cell.type)));
      continue;
    }
    plan::AggregateCall call;
    const bool counts = is_count(cell.reduction);
    call.function = function;
    call.args = {lanewise::column(part, cell.type)};
    call.type = counts ? Type(TypeId::kInt128) : cell.type;
    ExprPtr made = lanewise::column(keys.size() + calls.size(), call.type);
    if (counts) made = cast(coalesce({made, literal(Value(call.type, int128_t{0}))}), cell.type);
    columns.push_back(std::move(made));
    calls.push_back(std::move(call));
  }
  for (const Call& call : calls_) {
    if (call.cell != kNoCell) continue;
    columns.push_back(lanewise::column(keys.size() + calls.size(), call.call.type));
    calls.push_back(merging(call, several));
  }
  const auto names = [](size_t count) {
    std::vector<std::string> all;
    for (size_t i = 0; i < count; ++i) all.push_back("column " + std::to_string(i));
    return all;
  };
  const plan::NodePtr rows = plan::values(std::make_shared<const Table>(std::move(partial)));
  const size_t made = keys.size() + calls.size(), kept = columns.size();
  const plan::NodePtr groups = plan::aggregate(rows, std::move(keys), std::move(calls), names(made));
  return run_on_cores(plan::project(groups, std::move(columns), names(kept)), options);
}

Table GroupPlan::finish(const Table& groups, bool merged, const Schema& output, MemoryBudget* budget) const {
  Table table{output, {}};
  for (const Batch& batch : groups.batches) {
    const auto keys = static_cast<ptrdiff_t>(group_keys_);
    Batch made{batch.rows, {batch.columns.begin(), batch.columns.begin() + keys}};
    size_t by_host = group_keys_ + partial_.size() - keys_.size();  // the next column of such a call
    for (const Call& call : calls_) {
      const bool is_merged = merged && call.cell == kNoCell;
      made.columns.push_back(is_merged ? batch.columns[by_host++] : finish(call, batch, budget));
    }
    table.batches.push_back(std::move(made));
  }
  return table;
}

ColumnPtr GroupPlan::average(const Call& call, const Batch& batch, MemoryBudget* budget) const {
  const GroupCell& cell = cells_[call.cell];
  const Column& from = column(batch, call.cell);
  const Type type = call.call.type;
  const auto rows = static_cast<uint32_t>(batch.rows);
  const auto present = [&](uint32_t i) { return !from.is_null(i); };
  const auto* counts = column(batch, *cell.seen).values.as<int64_t>();
  if (cell.type == TypeId::kFloat64) {
    const auto* sums = from.values.as<double>();
    return number_column<double>(type, rows, budget, present,
                                 [&](uint32_t i) { return sums[i] / static_cast<double>(counts[i]); });
  }
  const auto* sums = from.values.as<int128_t>();
  if (type.id == TypeId::kInterval) {
    const auto* days = column(batch, call.parts[1]).values.as<int128_t>();
    const auto* micros = column(batch, call.parts[2]).values.as<int128_t>();
    return number_column<Interval>(type, rows, budget, present, [&](uint32_t i) {
      const Interval sum{static_cast<int32_t>(sums[i]), static_cast<int32_t>(days[i]),
                         static_cast<int64_t>(micros[i])};
      if (sum.months != sums[i] || sum.days != days[i] || sum.micros != micros[i])
        throw UserError(kIntervalsOverflow);
      return average_interval(sum, counts[i]);
    });
  }
  if (type.id != TypeId::kFloat64) {
    return number_column<int64_t>(type, rows, budget, present,
                                  [&](uint32_t i) { return average_instant(sums[i], counts[i]); });
  }
  const AverageRule rule(call.call.args[0]->type);
  return number_column<double>(type, rows, budget, present,
                               [&](uint32_t i) { return rule(sums[i], counts[i]); });
}

ColumnPtr GroupPlan::spread(const Call& call, const Batch& batch, MemoryBudget* budget) const {
  const auto* counts = column(batch, call.parts[0]).values.as<int64_t>();
  const auto* means = column(batch, call.parts[1]).values.as<double>();
  const auto* squares = column(batch, call.parts[2]).values.as<double>();
  const auto of_moments = function_of(call.call).of_moments;
  std::optional<double> result;
  const auto compute = [&](uint32_t i) {
    result = of_moments({counts[i], means[i], squares[i]});
    return result.has_value();
  };
  return number_column<double>(call.call.type, static_cast<uint32_t>(batch.rows), budget, compute,
                               [&](uint32_t /*i*/) { return *result; });
}

ColumnPtr GroupPlan::finish(const Call& call, const Batch& batch, MemoryBudget* budget) const {
  if (is_spread(call.call)) return spread(call, batch, budget);
  if (call.cell == kNoCell) return batch.columns[group_keys_ + columns_[call.parts[0]]];  // a picked value
  if (is_average(call.call)) return average(call, batch, budget);
  const Column& from = column(batch, call.cell);
  const Type type = call.call.type;
  if (is_count(cells_[call.cell].reduction) && type.physical() == Physical::kInt128) {  // count_if
    const auto* counts = from.values.as<int64_t>();
    return number_column<int128_t>(
        type, static_cast<uint32_t>(batch.rows), budget, [&](uint32_t i) { return !from.is_null(i); },
        [&](uint32_t i) { return int128_t{counts[i]}; });
  }
  auto column = std::make_shared<Column>(from);
  invariant(type.physical() == from.type.physical(), "a cell holds what its aggregate gives");
  column->type = type;  // the sum of decimals is one
  return column;
}

}  // namespace lanewise::ops
