#include "ops/aggregate/aggregate.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "ops/aggregate/accumulators/host_aggregate.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/key_runs.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kBatchRows = 1 << 18;
constexpr int kValueBits = 5;              // of partitions at least, if groups keep all their values
constexpr uint32_t kDistinctBlock = 2048;  // distinct rows that an aggregate processes at a time

/// A call as it is executed: without a DISTINCT or ORDER BY that cannot change the result.
struct Call {
  plan::AggregateCall call;
  plan::AggregateCall of_rows;        // the call over these rows: with DISTINCT they are already distinct
  const AggregateFunction* function;  // of `of_rows`
};

Call prepare(const plan::AggregateCall& call) {
  const AggregateFunction& function = function_of(call);
  Call result{call, {}, &function};
  if (!function.distinct_matters || call.args.empty()) result.call.distinct = false;
  if (!function.order_matters) result.call.order.clear();
  result.of_rows = result.call;
  if (result.call.distinct &&
      function.reduction == Reduction::kCount) {  // none is NULL: their values do not matter
    result.of_rows = {
        .function = "count_star", .args = {}, .distinct = true, .filter = {}, .order = {}, .type = call.type};
    result.function = find_aggregate("count_star", {});
  }
  result.function->make(result.of_rows, nullptr);  // rejects bad constants now
  return result;
}

void append(std::vector<Type>& types, const std::vector<ExprPtr>& exprs) {
  for (const ExprPtr& expr : exprs) types.push_back(expr->type);
}
void append(std::vector<KeyRun>& runs, std::vector<KeyRun> more) {
  std::move(more.begin(), more.end(), std::back_inserter(runs));
}

class Aggregate : public Sink {
 public:
  Aggregate(const plan::Aggregate& aggregate, Schema output)
      : keys_(aggregate.keys),
        output_(std::move(output)),
        what_(aggregate.aggregates.empty() ? "DISTINCT" : kGroupBy) {
    append(key_types_, keys_);
    for (const plan::AggregateCall& call : aggregate.aggregates) calls_.push_back(prepare(call));
  }

  std::unique_ptr<Local> local() const override { return std::make_unique<Groups>(); }
  bool in_order() const override {
    return std::ranges::any_of(
        calls_, [](const Call& call) { return call.call.host != nullptr && call.call.host->in_order; });
  }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    auto& groups = static_cast<Groups&>(local);
    const Allocations::Scope scope(groups.allocations, what_);
    if (!groups.now.keys) start(groups, context.budget);
    if (chunk.active.none()) return;
    const std::vector<Vector> keys = evaluate_all(keys_, chunk, chunk.active, context);
    uint32_t* numbers = nullptr;
    uint32_t looked_up = 0;
    if (!keys_.empty()) {
      numbers = context.arena->allocate<uint32_t>(chunk.rows);
      looked_up = number_keys(*groups.now.keys, groups.limit, keys, chunk.active, numbers);
    }
    for (size_t i = 0; i < calls_.size(); ++i) {
      const plan::AggregateCall& call = calls_[i].call;
      groups.now.accumulators[i]->resize(size(groups.now));
      ActiveSet rows = chunk.active;
      if (call.filter != nullptr) rows = narrow(*call.filter, chunk.columns, rows, context);
      const std::vector<Vector> args = evaluate_all(call.args, chunk, rows, context);
      std::vector<Vector> order;
      for (const plan::SortKey& key : call.order)
        order.push_back(evaluate(*key.expr, chunk.columns, rows, context));
      const bool every = rows.count() == chunk.active.count();
      const AggregateInput input{args,        order,           rows,  numbers,
                                 chunk.order, chunk.first_row, every, context.target};
      if (call.distinct) {
        const bool nulls = calls_[i].function->takes_nulls;
        groups.distinct[i]->add(columns_of(keys, input), nulls ? input.rows : present(input));
      } else {
        groups.now.accumulators[i]->update(input);
      }
    }
    if (!keys_.empty()) limit(groups, looked_up, context.budget);
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    std::vector<KeyRun> runs;
    std::vector<std::vector<KeyRun>> distinct(calls_.size());
    for (auto& local : locals) {
      auto& groups = static_cast<Groups&>(*local);
      append(runs, std::move(groups.runs));
      if (groups.now.keys && size(groups.now) != 0) runs.push_back(std::move(groups.now));
      for (size_t i = 0; i < groups.distinct.size(); ++i) {
        if (groups.distinct[i]) append(distinct[i], groups.distinct[i]->take());
      }
      local.reset();
    }
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].call.distinct) append(runs, aggregated(i, distinct[i], context));
    }
    if (runs.empty() && keys_.empty()) runs.push_back(started(context.budget));
    Table table{output_, {}};
    if (runs.size() == 1) {
      seal(runs[0]);
      table.batches = batches(runs[0], context);
    } else if (keys_.empty()) {
      KeyRun merged = started(context.budget);
      const uint32_t only = 0;
      for (const KeyRun& run : runs) {
        seal(run);
        for (size_t i = 0; i < calls_.size(); ++i)
          merged.accumulators[i]->merge(*run.accumulators[i], {&only, 1}, &only);
      }
      seal(merged);
      table.batches = batches(merged, context);
    } else if (!runs.empty()) {
      table.batches = merge(runs, context);
    }
    return table;
  }

 private:
  /// The state of one thread: the groups of its current run, those of earlier ones, and for each call
  /// with DISTINCT the distinct rows of keys, arguments and its ORDER BY, which its accumulators receive only
  /// at the end.
  struct Groups : Local {
    KeyRun now;
    std::vector<KeyRun> runs;
    Allocations allocations;
    RunLimit limit;
    std::vector<std::unique_ptr<DistinctRows>> distinct;  // by call; null without DISTINCT
  };

  /// An empty run; without keys there is always one group.
  KeyRun started(MemoryBudget* budget) const {
    KeyRun run{std::make_unique<Grouping>(key_types_, budget, what_), {}, {}};
    for (const Call& call : calls_) run.accumulators.push_back(call.function->make(call.of_rows, budget));
    for (auto& accumulator : run.accumulators) accumulator->resize(size(run));
    return run;
  }

  void start(Groups& groups, MemoryBudget* budget) const {
    groups.now = started(budget);
    for (const Call& call : calls_) {
      groups.distinct.push_back(call.call.distinct
                                    ? std::make_unique<DistinctRows>(distinct_types(call.call), budget, what_)
                                    : nullptr);
    }
  }

  void limit(Groups& groups, size_t rows, MemoryBudget* budget) const {
    if (groups.limit.reached(rows, size(groups.now), budget)) {
      KeyRun next = started(budget);
      std::swap(next.accumulators, groups.now.accumulators);
      next.keys = groups.now.keys->take();
      groups.runs.push_back(std::move(next));
      groups.runs.back().arrange([&] { return started(budget); });
      spill_if_short(groups.allocations, budget);
    } else if (groups.limit.expected_keys() > size(groups.now)) {
      groups.now.keys->reserve(groups.limit.expected_keys());
    }
  }

  uint32_t size(const KeyRun& run) const { return keys_.empty() ? 1 : run.keys->size(); }

  std::vector<Type> distinct_types(const plan::AggregateCall& call) const {
    std::vector<Type> types = key_types_;
    append(types, call.args);
    for (const plan::SortKey& key : call.order) types.push_back(key.expr->type);
    return types;
  }

  static std::vector<Vector> columns_of(const std::vector<Vector>& keys, const AggregateInput& input) {
    std::vector<Vector> columns = keys;
    columns.insert(columns.end(), input.args.begin(), input.args.end());
    columns.insert(columns.end(), input.order.begin(), input.order.end());
    return columns;
  }

  static std::vector<Vector> evaluate_all(const std::vector<ExprPtr>& exprs, const Chunk& chunk,
                                          const ActiveSet& rows, EvalContext& context) {
    std::vector<Vector> results;
    for (const ExprPtr& expr : exprs) results.push_back(evaluate(*expr, chunk.columns, rows, context));
    return results;
  }

  static void seal(const KeyRun& run) {
    for (auto& accumulator : run.accumulators) accumulator->seal();
  }

  /// A run of groups that is fed with blocks of distinct rows.
  struct Fed {
    KeyRun run;
    uint32_t blocks = 0;
  };

  /// Groups of the distinct rows found by the threads for call `i`, each run fed by one thread at a time.
  /// The other calls have received no row of them.
  std::vector<KeyRun> aggregated(size_t i, std::vector<KeyRun>& rows, const EvalContext& context) const {
    size_t total = 0;
    for (const KeyRun& run : rows) total += run.keys->size();
    std::mutex mutex;
    std::vector<Fed> idle;
    const auto feed = [&](const Grouping& distinct) {
      std::unique_lock lock(mutex);
      Fed fed = idle.empty() ? Fed{started(context.budget)} : std::move(idle.back());
      if (!idle.empty()) idle.pop_back();
      lock.unlock();
      update(i, distinct, fed, context);
      lock.lock();
      idle.push_back(std::move(fed));
    };
    if (rows.size() == 1) {
      feed(*rows[0].keys);
    } else if (!rows.empty()) {
      const std::vector<Type> types = distinct_types(calls_[i].call);
      merge_partitions(
          rows, merge_bits(total),
          [&] { return KeyRun{std::make_unique<Grouping>(types, context.budget, what_), {}, {}}; },
          context.cancellation, [&](size_t, KeyRun& merged) { feed(*merged.keys); });
    }
    std::vector<KeyRun> results;
    for (Fed& fed : idle) {
      if (size(fed.run) != 0) results.push_back(std::move(fed.run));
    }
    return results;
  }

  /// Passes distinct rows to call `i`.
  void update(size_t i, const Grouping& distinct, Fed& fed, const EvalContext& context) const {
    KeyRun& run = fed.run;
    const plan::AggregateCall& call = calls_[i].of_rows;
    const size_t columns = keys_.size() + call.args.size() + call.order.size();
    Arena arena(context.budget, what_);
    std::vector<uint32_t> numbers(kDistinctBlock);
    for (uint32_t first = 0; first < distinct.size(); first += kDistinctBlock) {
      if (context.cancellation != nullptr) context.cancellation->check();
      arena.reset();
      const uint32_t count = std::min(kDistinctBlock, distinct.size() - first);
      std::iota(numbers.begin(), numbers.end(), first);
      std::vector<ColumnPtr> held;
      std::vector<Vector> values;
      for (size_t k = 0; k < columns; ++k) {
        held.push_back(distinct.column(k, std::span(numbers).first(count)));
        values.push_back(slice(*held.back(), 0, count, arena));
      }
      const std::span<const Vector> all(values);
      const ActiveSet rows(count, arena);
      uint32_t* groups = nullptr;
      if (!keys_.empty()) {
        groups = arena.allocate<uint32_t>(count);
        run.keys->find_or_add(all.first(keys_.size()), rows, groups);
      }
      for (auto& accumulator : run.accumulators) accumulator->resize(size(run));
      run.accumulators[i]->update({all.subspan(keys_.size(), call.args.size()),
                                   all.subspan(keys_.size() + call.args.size()), rows, groups, fed.blocks++,
                                   0, false, context.target});
    }
  }

  /// The threads' groups, merged in partitions of the keys' hashes, in parallel.
  std::vector<Batch> merge(std::vector<KeyRun>& runs, const EvalContext& context) const {
    size_t total = 0;
    for (const KeyRun& run : runs) total += run.keys->size();
    const auto& accumulators = runs[0].accumulators;
    const bool few_states =
        std::ranges::all_of(accumulators, [](const auto& a) { return a->merge_copies(); });
    const int bits = std::max(merge_bits(total), few_states ? 0 : kValueBits);
    std::vector<std::vector<Batch>> results(size_t{1} << bits);
    merge_partitions(
        runs, bits, [&] { return started(context.budget); }, context.cancellation,
        [&](size_t p, KeyRun& merged) {
          seal(merged);
          results[p] = batches(merged, context);
          if (context.budget == nullptr || !context.budget->is_short()) return;
          for (const Batch& batch : results[p]) batch.spill(context.budget, what_);
        });
    std::vector<Batch> batches;
    for (auto& result : results) std::move(result.begin(), result.end(), std::back_inserter(batches));
    return batches;
  }

  std::vector<Batch> batches(const KeyRun& run, const EvalContext& context) const {
    const uint32_t rows = size(run);
    std::vector<Batch> batches((size_t{rows} + kBatchRows - 1) / kBatchRows);
    parallel_for(batches.size(), [&](size_t b) {
      if (context.cancellation != nullptr) context.cancellation->check();
      const auto first = static_cast<uint32_t>(b) * kBatchRows;
      const uint32_t count = std::min(kBatchRows, rows - first);
      std::vector<uint32_t> numbers(count);
      std::iota(numbers.begin(), numbers.end(), first);
      batches[b].rows = count;
      for (size_t key = 0; key < keys_.size(); ++key) {
        batches[b].columns.push_back(run.keys->column(key, numbers));
      }
      for (const auto& accumulator : run.accumulators) {
        batches[b].columns.push_back(accumulator->finish(first, count, context.cancellation));
      }
    });
    return batches;
  }

  std::vector<ExprPtr> keys_;
  std::vector<Type> key_types_;
  std::vector<Call> calls_;
  Schema output_;
  std::string_view what_;
};

}  // namespace

std::unique_ptr<Sink> make_aggregate(const plan::Aggregate& aggregate, const Schema&, const Schema& output) {
  return std::make_unique<Aggregate>(aggregate, output);
}

}  // namespace lanewise::ops
