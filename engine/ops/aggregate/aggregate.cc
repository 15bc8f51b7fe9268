#include "ops/aggregate/aggregate.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "ops/aggregate/accumulator.h"
#include "ops/aggregate/distinct_values.h"
#include "ops/aggregate/functions.h"
#include "primitives/grouping.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kBatchRows = 1 << 18;
/// Groups of one partition when the threads' tables are merged: its table stays in a core's cache.
constexpr size_t kPartitionGroups = size_t{1} << 15;
constexpr int kMostPartitionBits = 10;

using Accumulators = std::vector<std::unique_ptr<Accumulator>>;

/// A call as it is carried out: without a DISTINCT or ORDER BY that cannot change the result.
struct Call {
  plan::AggregateCall call;
  const AggregateFunction* function;

  std::unique_ptr<Accumulator> make(MemoryBudget* budget) const {
    return call.distinct ? make_distinct_values(*function, call, budget) : function->make(call, budget);
  }
};

Call prepare(const plan::AggregateCall& call) {
  std::vector<Type> types;
  for (const ExprPtr& arg : call.args) types.push_back(arg->type);
  const AggregateFunction* function = find_aggregate(call.function, types);
  if (function == nullptr)
    throw InternalError("no aggregate function " + call.function + " for these arguments");
  if (function->resolve(types) != call.type) {
    throw InternalError(call.function + " gives " + function->resolve(types)->name() + ", not " +
                        call.type.name());
  }
  Call result{call, function};
  if (!function->distinct_matters || call.args.empty()) result.call.distinct = false;
  if (!function->order_matters) result.call.order.clear();
  function->make(result.call, nullptr);  // refuses bad constants now
  return result;
}

class Aggregate : public Sink {
 public:
  Aggregate(const plan::Aggregate& aggregate, Schema output)
      : keys_(aggregate.keys), output_(std::move(output)) {
    for (const ExprPtr& key : keys_) key_types_.push_back(key->type);
    for (const plan::AggregateCall& call : aggregate.aggregates) calls_.push_back(prepare(call));
  }

  std::unique_ptr<Local> local() const override { return std::make_unique<Groups>(); }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    auto& groups = static_cast<Groups&>(local);
    if (!groups.grouping) start(groups, context.budget);
    if (chunk.active.none()) return;
    uint32_t* numbers = nullptr;
    if (!keys_.empty()) {
      numbers = context.arena->allocate<uint32_t>(chunk.rows);
      groups.grouping->find_or_add(evaluate_all(keys_, chunk, chunk.active, context), chunk.active, numbers);
    }
    for (size_t i = 0; i < calls_.size(); ++i) {
      const plan::AggregateCall& call = calls_[i].call;
      groups.accumulators[i]->resize(size(groups));
      ActiveSet rows = chunk.active;
      if (call.filter != nullptr) rows = narrow(*call.filter, chunk.columns, rows, context);
      const std::vector<Vector> args = evaluate_all(call.args, chunk, rows, context);
      std::vector<Vector> order;
      for (const plan::SortKey& key : call.order)
        order.push_back(evaluate(*key.expr, chunk.columns, rows, context));
      const bool every = rows.count() == chunk.active.count();
      groups.accumulators[i]->update({args, order, rows, numbers, chunk.order, every, context.target});
    }
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    std::vector<std::unique_ptr<Groups>> parts;
    for (auto& local : locals) {
      std::unique_ptr<Groups> groups(static_cast<Groups*>(local.release()));
      if (groups->grouping && size(*groups) != 0) parts.push_back(std::move(groups));
    }
    if (parts.empty() && keys_.empty()) {
      parts.push_back(std::make_unique<Groups>());
      start(*parts[0], context.budget);
    }
    Table table{output_, {}};
    if (parts.size() == 1) {
      seal(*parts[0]);
      table.batches = batches(*parts[0], context);
    } else if (parts.size() > 1) {
      table.batches = merge(parts, context);
    }
    return table;
  }

 private:
  struct Groups : Local {
    std::unique_ptr<Grouping> grouping;
    Accumulators accumulators;
  };

  void start(Groups& groups, MemoryBudget* budget) const {
    groups.grouping = std::make_unique<Grouping>(key_types_, budget, calls_.empty() ? "DISTINCT" : kGroupBy);
    for (const Call& call : calls_) groups.accumulators.push_back(call.make(budget));
    for (auto& accumulator : groups.accumulators) accumulator->resize(size(groups));
  }

  uint32_t size(const Groups& groups) const { return keys_.empty() ? 1 : groups.grouping->size(); }

  static std::vector<Vector> evaluate_all(const std::vector<ExprPtr>& exprs, const Chunk& chunk,
                                          const ActiveSet& rows, EvalContext& context) {
    std::vector<Vector> results;
    for (const ExprPtr& expr : exprs) results.push_back(evaluate(*expr, chunk.columns, rows, context));
    return results;
  }

  static void seal(Groups& groups) {
    for (auto& accumulator : groups.accumulators) accumulator->seal();
  }

  /// The threads' groups, merged in partitions of the keys' hashes, in parallel.
  std::vector<Batch> merge(std::vector<std::unique_ptr<Groups>>& parts, const EvalContext& context) const {
    size_t total = 0;
    for (const auto& part : parts) total += size(*part);
    const int bits = total <= kPartitionGroups
                         ? 0
                         : std::min<int>(std::bit_width(total / kPartitionGroups), kMostPartitionBits);
    std::vector<Partitions> partitions(parts.size());
    parallel_for(parts.size(), [&](size_t i) {
      seal(*parts[i]);
      if (keys_.empty()) {
        partitions[i] = {{0}, {0, 1}};
      } else {
        partitions[i] = partition(parts[i]->grouping->tags(), bits);
      }
    });
    std::vector<std::vector<Batch>> results(size_t{1} << bits);
    parallel_for(results.size(), [&](size_t p) {
      Groups merged;
      start(merged, context.budget);
      for (size_t i = 0; i < parts.size(); ++i) {
        const std::span<const uint32_t> all(partitions[i].groups);
        absorb(merged, *parts[i],
               all.subspan(partitions[i].starts[p], partitions[i].starts[p + 1] - partitions[i].starts[p]),
               context.cancellation);
      }
      if (size(merged) == 0) return;
      seal(merged);
      results[p] = batches(merged, context);
    });
    std::vector<Batch> batches;
    for (auto& result : results) std::move(result.begin(), result.end(), std::back_inserter(batches));
    return batches;
  }

  void absorb(Groups& merged, const Groups& part, std::span<const uint32_t> from,
              const Cancellation* cancellation) const {
    for (size_t first = 0; first < from.size(); first += kPartitionGroups) {
      if (cancellation != nullptr) cancellation->check();
      const auto some = from.subspan(first, std::min(kPartitionGroups, from.size() - first));
      std::vector<uint32_t> to(some.size());
      if (!keys_.empty()) merged.grouping->absorb(*part.grouping, some, to.data());
      for (size_t i = 0; i < calls_.size(); ++i) {
        merged.accumulators[i]->resize(size(merged));
        merged.accumulators[i]->merge(*part.accumulators[i], some, to.data());
      }
    }
  }

  std::vector<Batch> batches(const Groups& groups, const EvalContext& context) const {
    const uint32_t rows = size(groups);
    std::vector<Batch> batches((size_t{rows} + kBatchRows - 1) / kBatchRows);
    parallel_for(batches.size(), [&](size_t b) {
      if (context.cancellation != nullptr) context.cancellation->check();
      const auto first = static_cast<uint32_t>(b) * kBatchRows;
      const uint32_t count = std::min(kBatchRows, rows - first);
      std::vector<uint32_t> numbers(count);
      std::iota(numbers.begin(), numbers.end(), first);
      batches[b].rows = count;
      for (size_t key = 0; key < keys_.size(); ++key) {
        batches[b].columns.push_back(groups.grouping->column(key, numbers));
      }
      for (const auto& accumulator : groups.accumulators) {
        batches[b].columns.push_back(accumulator->finish(first, count, context.cancellation));
      }
    });
    return batches;
  }

  std::vector<ExprPtr> keys_;
  std::vector<Type> key_types_;
  std::vector<Call> calls_;
  Schema output_;
};

}  // namespace

std::unique_ptr<Sink> make_aggregate(const plan::Aggregate& aggregate, const Schema&, const Schema& output) {
  return std::make_unique<Aggregate>(aggregate, output);
}

}  // namespace lanewise::ops
