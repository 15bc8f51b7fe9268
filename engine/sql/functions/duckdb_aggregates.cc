#include "sql/functions/duckdb_aggregates.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/aggregate/accumulators/host_aggregate.h"
#include "ops/gather.h"
#include "sql/duckdb/errors.h"
#include "sql/functions/duckdb_calls.h"
#include "sql/scan/gather.h"
#include "sql/values/types.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

using duckdb::idx_t;

/// A bound aggregate, for several threads.
struct Bound {
  duckdb::shared_ptr<duckdb::ClientContext> context;
  duckdb::unique_ptr<duckdb::BoundAggregateExpression> expr;
  std::vector<Type> args;
  Type result;
};

/// Addresses of up to 2,048 states.
class Addresses {
 public:
  Addresses() : vector_(duckdb::LogicalType::POINTER) {}
  uint8_t*& operator[](size_t i) { return duckdb::FlatVector::GetData<uint8_t*>(vector_)[i]; }
  duckdb::Vector& vector() { return vector_; }

 private:
  duckdb::Vector vector_;
};

class DuckdbStates : public ops::Accumulator {
 public:
  DuckdbStates(std::shared_ptr<const Bound> bound, MemoryBudget* budget)
      : bound_(std::move(bound)),
        budget_(budget),
        size_((function().state_size(function()) + 15) / 16 * 16),
        arena_(duckdb::Allocator::DefaultAllocator()),
        data_(bound_->expr->bind_info.get(), arena_) {}
  ~DuckdbStates() override {
    if (function().destructor == nullptr) return;
    for_states(0, groups_, [&](Addresses& states, uint32_t, idx_t count) {
      function().destructor(states.vector(), data_, count);
    });
  }

  void resize(uint32_t groups) override {
    while (blocks_.size() * kBlock < groups)
      blocks_.push_back(Buffer::allocate(kBlock * size_, budget_, ops::kGroupBy));
    for (; groups_ < groups; ++groups_) function().initialize(function(), state(groups_));
  }

  void update(const ops::AggregateInput& input) override {
    if (input.rows.none()) return;
    std::vector<ColumnPtr> columns;
    for (size_t i = 0; i < bound_->args.size(); ++i) {
      ops::Gather gather(bound_->args[i], budget_, ops::kGroupBy);
      gather.append(input.args[i], input.rows);
      columns.push_back(gather.finish());
    }
    std::vector<uint32_t> groups;
    groups.reserve(input.rows.count());
    for_each_row(input, input.rows, [&](uint32_t, uint32_t group) { groups.push_back(group); });
    translated([&] { update(columns, groups); });
  }

  void merge(const ops::Accumulator& other, std::span<const uint32_t> from, const uint32_t* to) override {
    const auto& theirs = static_cast<const DuckdbStates&>(other);
    translated([&] {
      Addresses sources, targets;
      for (size_t first = 0; first < from.size(); first += STANDARD_VECTOR_SIZE) {
        const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, from.size() - first);
        for (size_t i = 0; i < count; ++i) {
          sources[i] = theirs.state(from[first + i]);
          targets[i] = state(to[first + i]);
        }
        function().combine(sources.vector(), targets.vector(), data_, count);
      }
    });
  }

  /// The rows' values of an argument are argument(i, first, count), for up to 2,048 rows.
  template <class Argument>
  void update(size_t arguments, const std::vector<uint32_t>& groups, Argument argument) {
    Addresses states;
    for (size_t first = 0; first < groups.size(); first += STANDARD_VECTOR_SIZE) {
      const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, groups.size() - first);
      std::vector<duckdb::Vector> inputs;
      for (size_t i = 0; i < arguments; ++i) inputs.push_back(argument(i, first, count));
      for (size_t i = 0; i < count; ++i) states[i] = state(groups[first + i]);
      function().update(inputs.data(), data_, inputs.size(), states.vector(), count);
    }
  }

  ColumnPtr finish(uint32_t first, uint32_t count, const Cancellation* cancellation) const override {
    return translated([&] {
      duckdb::ArenaAllocator arena(duckdb::Allocator::DefaultAllocator());
      duckdb::AggregateInputData data(bound_->expr->bind_info.get(), arena);
      const duckdb::LogicalType& type = bound_->expr->return_type;
      ColumnGather gather(type, bound_->result, count, budget_);
      for_states(first, first + count, [&](Addresses& states, uint32_t, idx_t rows) {
        if (cancellation != nullptr) cancellation->check();
        duckdb::Vector values(type);
        function().finalize(states.vector(), data, values, rows, 0);
        gather.append(values, static_cast<int64_t>(rows));
      });
      return ColumnPtr(gather.finish());
    });
  }

 private:
  static constexpr size_t kBlock = 16;  // states allocated together, which never move

  const duckdb::AggregateFunction& function() const { return bound_->expr->function; }
  uint8_t* state(uint32_t group) const {
    return const_cast<uint8_t*>(blocks_[group / kBlock].data()) + group % kBlock * size_;
  }
  template <class F>
  void for_states(uint32_t first, uint32_t end, F f) const {
    Addresses states;
    for (; first < end; first += STANDARD_VECTOR_SIZE) {
      const uint32_t count = std::min<uint32_t>(STANDARD_VECTOR_SIZE, end - first);
      for (uint32_t i = 0; i < count; ++i) states[i] = state(first + i);
      f(states, first, count);
      if (end - first <= STANDARD_VECTOR_SIZE) break;
    }
  }

  void update(const std::vector<ColumnPtr>& columns, const std::vector<uint32_t>& groups) {
    update(columns.size(), groups, [&](size_t i, size_t first, size_t count) {
      return exposed(*columns[i], static_cast<int64_t>(first), static_cast<int64_t>(count),
                     bound_->expr->children[i]->return_type, *bound_->context);
    });
  }

  const std::shared_ptr<const Bound> bound_;
  MemoryBudget* const budget_;
  const size_t size_;  // of a state in bytes
  std::vector<Buffer> blocks_;
  uint32_t groups_ = 0;
  duckdb::ArenaAllocator arena_;
  mutable duckdb::AggregateInputData data_;
};

std::shared_ptr<Bound> bind(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                            Type result) {
  auto bound = std::make_shared<Bound>();
  bound->context = context.shared_from_this();
  bound->expr = duckdb::unique_ptr_cast<duckdb::Expression, duckdb::BoundAggregateExpression>(expr.Copy());
  bound->result = result;
  return bound;
}

/// The results for lists of `type`, each a group whose rows are structs of the arguments.
Batch aggregate_lists(const std::shared_ptr<const Bound>& bound, const duckdb::LogicalType& type,
                      const Batch& lists) {
  const auto groups = static_cast<uint32_t>(lists.rows);
  DuckdbStates states(bound, nullptr);
  states.resize(groups);
  for (uint32_t first = 0; first < groups; first += STANDARD_VECTOR_SIZE) {
    const uint32_t count = std::min<uint32_t>(STANDARD_VECTOR_SIZE, groups - first);
    duckdb::Vector vector = exposed(*lists.columns[0], first, count, type, *bound->context);
    auto& rows = duckdb::ListVector::GetEntry(vector);
    rows.Flatten(duckdb::ListVector::GetListSize(vector));
    auto& fields = duckdb::StructVector::GetEntries(rows);
    std::vector<uint32_t> group_of;
    for (uint32_t i = 0; i < count; ++i) {
      const bool is_null = duckdb::FlatVector::IsNull(vector, i);
      const idx_t length = duckdb::FlatVector::GetData<duckdb::list_entry_t>(vector)[i].length;
      group_of.insert(group_of.end(), is_null ? 0 : length, first + i);
    }
    states.update(fields.size(), group_of, [&](size_t i, size_t at, size_t rows) {
      return duckdb::Vector(*fields[i], at, at + rows);
    });
  }
  return {lists.rows, {states.finish(0, groups, nullptr)}};
}

}  // namespace

ExprPtr call_duckdb_on_lists(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                             ExprPtr lists, const duckdb::LogicalType& type) {
  const auto bound = bind(context, expr, type_of(expr.return_type, "the aggregate " + expr.ToString()));
  bound->expr->order_bys.reset();
  return call_of_duckdb(expr.function.name, bound->result, {std::move(lists)}, false,
                        [bound, type](const Batch& given) -> std::vector<Batch> {
                          return {aggregate_lists(bound, type, given)};
                        });
}

plan::AggregateCall call_duckdb(duckdb::ClientContext& context, const duckdb::BoundAggregateExpression& expr,
                                bool in_order, plan::AggregateCall call, std::vector<ExprPtr> args) {
  const auto bound = bind(context, expr, call.type);
  for (const ExprPtr& arg : args) bound->args.push_back(arg->type);
  auto host = std::make_shared<ops::HostAggregate>();
  host->in_order = in_order;
  host->make = [bound](MemoryBudget* budget) { return std::make_unique<DuckdbStates>(bound, budget); };
  call.function = fmt::format("duckdb[{}]", expr.function.name);
  call.host = std::move(host);
  call.args = std::move(args);
  return call;
}

}  // namespace lanewise::sql
