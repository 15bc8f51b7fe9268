#include "ops/window/window.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ops/concat.h"
#include "ops/ordered_rows.h"
#include "ops/pick.h"
#include "ops/sorted_rows.h"
#include "ops/sorted_runs.h"
#include "ops/window/function.h"
#include "ops/window/leading_rows.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

/// Makes columns of the expressions that a window reads for each row, and returns their indexes.
class Needed {
 public:
  size_t add(const plan::SortKey& key) {
    keys_.push_back(key);
    return keys_.size() - 1;
  }
  /// Literals are kept.
  void add(ExprPtr& expr) {
    if (expr == nullptr || expr->kind == Expr::Kind::kLiteral) return;
    places_.push_back({&expr, add({expr, false, false})});
  }
  const std::vector<plan::SortKey>& keys() const { return keys_; }
  /// Replaces each expression by its column.
  void place(const SortColumns& columns) {
    for (const auto& [expr, key] : places_) *expr = column(columns.key(key), (*expr)->type);
  }

 private:
  std::vector<plan::SortKey> keys_;
  std::vector<std::pair<ExprPtr*, size_t>> places_;
};

class Window : public Sink {
 public:
  Window(const plan::Window& window, const Schema& input, Schema output)
      : input_columns_(input.size()),
        partition_keys_(window.partition.size()),
        sort_keys_(partition_keys_ + window.order.size()),
        first_rows_(window.first_rows),
        output_(std::move(output)),
        columns_(collect(window, input)),
        kept_(columns_.schema()) {
    finds_leading_ = first_rows_ != 0 && LeadingRows::can_compare(kept_[columns_.key(partition_keys_)].type);
    if (finds_leading_) LeadingRows::add_fields(kept_);
  }

  std::unique_ptr<Local> local() const override {
    if (finds_leading_) return std::make_unique<FewRows>(kept_, kWindow, kSortBatch);
    return std::make_unique<SortedRuns>(columns_, sort_keys_, kWindow);
  }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    auto& rows = static_cast<OrderedRows&>(local);
    std::vector<Vector> columns = columns_.of(chunk, context);
    ActiveSet active = chunk.active;
    if (finds_leading_) {
      auto& leading = static_cast<FewRows&>(local).leading;
      if (!leading) leading.emplace(columns_, partition_keys_, first_rows_, context.budget);
      active = leading->keep(columns, active);
      if (active.none()) return;
    }
    rows.append({chunk.order, chunk.rows, std::move(columns), active, chunk.first_row}, context.budget);
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    const WindowRows rows = sorted(locals, context);
    locals.clear();
    Table table{output_, {}};
    if (rows.rows == 0) return table;
    for (const auto& function : functions_) function->prepare(rows, context);
    table.batches.resize((rows.rows - 1) / kWindowBatch + 1);
    parallel_for(table.batches.size(), [&](size_t b) {
      if (context.cancellation != nullptr) context.cancellation->check();
      Arena arena(context.budget, kWindow);
      EvalContext own = context_like(context, arena);
      const uint32_t first = static_cast<uint32_t>(b) * kWindowBatch;
      const uint32_t count = std::min(kWindowBatch, rows.rows - first);
      Batch& batch = table.batches[b];
      batch.rows = count;
      for (size_t c = 0; c < input_columns_; ++c)
        batch.columns.push_back(share(rows.columns[c], first, count, context.budget, kWindow));
      for (const auto& function : functions_) {
        arena.reset();
        batch.columns.push_back(function->evaluate(rows, first, count, own));
      }
    });
    return table;
  }

 private:
  /// Rows that may be among the leading ones of their partitions.
  struct FewRows : OrderedRows {
    using OrderedRows::OrderedRows;
    std::optional<LeadingRows> leading;
  };

  /// Collects the input's columns that are kept; makes the functions that read them.
  SortColumns collect(const plan::Window& window, const Schema& input) {
    Needed needed;
    for (const ExprPtr& key : window.partition) needed.add(plan::SortKey{key, false, false});
    for (const plan::SortKey& key : window.order) needed.add(key);
    std::vector<plan::WindowCall> calls = window.calls;
    for (plan::WindowCall& call : calls) {
      for (ExprPtr& arg : call.call.args) needed.add(arg);
      needed.add(call.call.filter);
      for (plan::SortKey& key : call.call.order) needed.add(key.expr);
      needed.add(call.frame.begin.offset);
      needed.add(call.frame.end.offset);
    }
    SortColumns columns(needed.keys(), input);
    needed.place(columns);
    std::optional<plan::SortKey> key;
    if (!window.order.empty()) {
      key = window.order[0];
      key->expr = column(columns.key(partition_keys_), key->expr->type);
    }
    for (const plan::WindowCall& call : calls) functions_.push_back(made(call, key));
    return columns;
  }

  static std::unique_ptr<WindowFunction> made(const plan::WindowCall& call,
                                              const std::optional<plan::SortKey>& key) {
    Frames frames(call.frame, key);
    const NamedWindowFunction* function = find_window_function(call.call.function);
    return function != nullptr ? function->make(call, std::move(frames))
                               : make_window_aggregate(call, std::move(frames));
  }

  /// Drops rows that follow enough others of their partitions.
  static void keep_leading(SortedRows& rows, const std::vector<std::unique_ptr<Local>>& locals) {
    std::vector<LeadingRows*> threads, of_part;
    for (const auto& local : locals) {
      auto& own = static_cast<FewRows&>(*local);
      LeadingRows* leading = own.leading ? &*own.leading : nullptr;
      of_part.insert(of_part.end(), own.ended_batches(), leading);
      if (leading != nullptr) threads.push_back(leading);
    }
    LeadingRows::combine(threads);
    struct Part {
      const LeadingRows* thread;
      const uint32_t* partitions;
      const uint64_t* ranks;
    };
    std::vector<Part> parts;
    for (size_t part = 0; part < rows.parts().size(); ++part) {
      const auto& columns = rows.parts()[part]->columns;
      parts.push_back({of_part[part], columns[columns.size() - 2]->values.as<uint32_t>(),
                       columns.back()->values.as<uint64_t>()});
    }
    rows.keep([&](size_t part, uint32_t row) {
      return parts[part].thread->may_lead(parts[part].partitions[row], parts[part].ranks[row]);
    });
  }

  static uint32_t checked(size_t rows) {
    if (rows < std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(rows);
    throw UserError("window functions over more than 4,294,967,294 rows are not supported yet");
  }

  /// The rows of runs in temporary files.
  void merge_runs(std::vector<std::unique_ptr<Local>>& locals, WindowRows& to,
                  const EvalContext& context) const {
    Table merged = SortedRuns::merge(columns_.schema(), locals, 0, SIZE_MAX, context);
    to.rows = checked(static_cast<size_t>(merged.rows()));
    parallel_for(to.columns.size(), [&](size_t c) {
      std::vector<ColumnPtr> parts;
      for (Batch& batch : merged.batches) parts.push_back(std::move(batch.columns[c]));
      to.columns[c] = concat(parts, context.budget, kWindow);
    });
  }

  void sort(std::vector<std::unique_ptr<Local>>& locals, WindowRows& to, const EvalContext& context) const {
    SortedRows sorted(locals, context.budget, kWindow);
    if (finds_leading_) keep_leading(sorted, locals);
    to.rows = checked(sorted.size());
    if (sort_keys_ != 0) sorted.sort(columns_, sort_keys_, 0, sorted.size(), context.cancellation);
    parallel_for(to.columns.size(), [&](size_t c) {
      std::vector<const Column*> parts;
      for (const Batch* part : sorted.parts()) parts.push_back(part->columns[c].get());
      to.columns[c] = pick(columns_.schema()[c].type, parts, sorted.rows(), context.budget, kWindow);
    });
  }

  WindowRows sorted(std::vector<std::unique_ptr<Local>>& locals, const EvalContext& context) const {
    WindowRows rows{0, std::vector<ColumnPtr>(columns_.schema().size()), Starts(context.budget, kWindow),
                    Starts(context.budget, kWindow)};
    const bool in_runs = !finds_leading_ && SortedRuns::any(locals);
    in_runs ? merge_runs(locals, rows, context) : sort(locals, rows, context);
    std::vector<ColumnPtr> keys;
    for (size_t k = 0; k < sort_keys_; ++k) {
      if (k == partition_keys_) rows.partitions = starts_of_runs(keys, rows.rows, context);
      keys.push_back(rows.columns[columns_.key(k)]);
    }
    rows.peers = starts_of_runs(keys, rows.rows, context);
    if (partition_keys_ == sort_keys_) rows.partitions = starts_of_runs(keys, rows.rows, context);
    return rows;
  }

  const size_t input_columns_;
  const size_t partition_keys_;
  const size_t sort_keys_;
  const uint32_t first_rows_;
  const Schema output_;
  std::vector<std::unique_ptr<WindowFunction>> functions_;
  const SortColumns columns_;
  Schema kept_;  // the columns, and those of LeadingRows
  bool finds_leading_ = false;
};

}  // namespace

std::unique_ptr<Sink> make_window(const plan::Window& window, const Schema& input, const Schema& output) {
  return std::make_unique<Window>(window, input, output);
}

}  // namespace lanewise::ops
