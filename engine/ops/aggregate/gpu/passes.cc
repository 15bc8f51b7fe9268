#include "ops/aggregate/gpu/passes.h"

#include <algorithm>
#include <string>

#include "ops/aggregate/gpu/aggregates.h"
#include "ops/run/options.h"

namespace lanewise::ops {

namespace {

/// Calls of equal passes share one; those of kAny go where others are.
struct Pass {
  enum class Kind : uint8_t { kAny, kRows, kRank, kDistinct };
  Kind kind = Kind::kAny;
  size_t place = 0;                           // kRank: of the call
  ExprPtr value = nullptr, filter = nullptr;  // kDistinct
  friend bool operator==(const Pass& a, const Pass& b) {
    return a.kind == b.kind && a.place == b.place && equal(a.value, b.value) && equal(a.filter, b.filter);
  }
};

Pass pass_of(const plan::AggregateCall& call, size_t place) {
  if (needs_rows(call)) return {Pass::Kind::kRows};
  if (is_ranked(call)) return {Pass::Kind::kRank, place};
  if (!is_distinct(call)) return {};
  return {Pass::Kind::kDistinct, 0, call.args[0], call.filter};
}

std::vector<std::string> names_of(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back("column " + std::to_string(i));
  return names;
}

}  // namespace

Passes::Passes(const plan::Pipeline& pipeline) : output_(pipeline.output) {
  if (pipeline.sink == nullptr) return;
  const auto* aggregate = std::get_if<plan::Aggregate>(&pipeline.sink->payload);
  if (aggregate == nullptr) return;
  std::vector<Pass> wanted;
  for (const plan::AggregateCall& call : aggregate->aggregates)
    wanted.push_back(pass_of(call, wanted.size()));
  const auto takes_others = [&](size_t i) { return is_distinct(aggregate->aggregates[i]); };
  const auto is_any = [&](size_t i) { return wanted[i].kind == Pass::Kind::kAny; };
  // Values of DISTINCT ones split groups, whose rows have no order.
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!is_any(i) || pick_of(aggregate->aggregates[i])) continue;
    for (size_t other = 0; other < wanted.size() && is_any(i); ++other)
      if (takes_others(other)) wanted[i] = wanted[other];
  }
  std::vector<Pass> passes;
  for (const Pass& pass : wanted) {
    const auto found = std::find(passes.begin(), passes.end(), pass);
    pass_of_.push_back(static_cast<size_t>(found - passes.begin()));
    if (found == passes.end()) passes.push_back(pass);
  }
  if (passes.size() < 2) return;
  for (size_t pass = 0; pass < passes.size(); ++pass) {
    std::vector<plan::AggregateCall> calls;
    for (size_t i = 0; i < pass_of_.size(); ++i) {
      if (pass_of_[i] == pass) calls.push_back(aggregate->aggregates[i]);
    }
    const size_t columns = aggregate->keys.size() + calls.size();
    sinks_.push_back(
        plan::aggregate(pipeline.sink->children[0], aggregate->keys, std::move(calls), names_of(columns)));
    pipelines_.push_back(pipeline);
    pipelines_.back().sink = sinks_.back().get();
    pipelines_.back().output = sinks_.back()->schema;
  }
}

/// Each pass has every group once. Their rows follow one another, NULL where another pass knows the value; of
/// each group's values only one is there.
Table Passes::together(std::vector<Table> tables, const Options& options) const {
  const size_t keys = output_.size() - pass_of_.size();
  const std::vector<std::string> names = names_of(output_.size());
  std::vector<plan::NodePtr> passes;
  for (size_t pass = 0; pass < tables.size(); ++pass) {
    std::vector<ExprPtr> columns;
    for (size_t key = 0; key < keys; ++key) columns.push_back(column(key, output_[key].type));
    size_t next = keys;
    for (size_t call = 0; call < pass_of_.size(); ++call) {
      const Type type = output_[keys + call].type;
      columns.push_back(pass_of_[call] == pass ? column(next++, type) : literal(Value(type)));
    }
    passes.push_back(plan::project(plan::values(std::make_shared<const Table>(std::move(tables[pass]))),
                                   std::move(columns), names));
  }
  std::vector<ExprPtr> group_by;
  for (size_t key = 0; key < keys; ++key) group_by.push_back(column(key, output_[key].type));
  std::vector<plan::AggregateCall> values;
  for (size_t i = keys; i < output_.size(); ++i) {
    plan::AggregateCall call;
    call.function = "max";
    call.args = {column(i, output_[i].type)};
    call.type = output_[i].type;
    values.push_back(std::move(call));
  }
  Table all = run_on_cores(
      plan::aggregate(plan::union_all(std::move(passes)), std::move(group_by), std::move(values), names),
      options);
  all.schema = output_;
  return all;
}

}  // namespace lanewise::ops
