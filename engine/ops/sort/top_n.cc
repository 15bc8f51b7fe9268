#include "ops/sort/top_n.h"

#include <algorithm>

#include "ops/gather.h"
#include "ops/pick.h"
#include "ops/sort/bound.h"
#include "ops/sort_columns.h"

namespace lanewise::ops {

namespace {

/// A thread drops its surplus once it holds this many rows more than the result needs, or twice as many:
/// soon, so that the bound tightens, and at most once for each chunk.
constexpr size_t kSurplus = 64;

/// The rows that one thread holds: the best so far, and later ones.
class Kept : public Sink::Local {
 public:
  std::vector<Gather> growing;
  std::vector<Batch> batches;
  size_t rows = 0;

  void append(const std::vector<Vector>& columns, const ActiveSet& active) {
    for (size_t c = 0; c < columns.size(); ++c) growing[c].append(columns[c], active);
    rows += active.count();
  }
  void seal() {
    if (growing.empty() || growing[0].rows() == 0) return;
    Batch& batch = batches.emplace_back();
    batch.rows = growing[0].rows();
    for (Gather& gather : growing) batch.columns.push_back(gather.finish());
  }
};

class TopN : public Sink {
 public:
  TopN(const plan::Sort& sort, const Schema& input)
      : input_(input),
        columns_(sort.keys, input),
        bound_(columns_),
        needed_(static_cast<size_t>(sort.offset + sort.limit)),
        offset_(static_cast<size_t>(sort.offset)) {
    kept_ = columns_.schema();
    kept_.push_back({"", TypeId::kUInt64});  // order of the row's chunk
    kept_.push_back({"", TypeId::kUInt64});  // row of the chunks of that order
  }

  std::unique_ptr<Local> local() const override { return std::make_unique<Kept>(); }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    if (needed_ == 0) return;
    auto& kept = static_cast<Kept&>(local);
    std::vector<Vector> columns = columns_.of(chunk, context);
    ActiveSet active = chunk.active;
    if (const ExprPtr before = bound_.before(chunk.order)) {
      EvalContext fresh{context.arena, context.target, context.budget, context.cancellation};
      active = narrow(*before, columns, active, fresh);
      if (active.none()) return;
    }
    if (kept.growing.empty()) {
      for (const Field& field : kept_) kept.growing.emplace_back(field.type, context.budget, kOrderBy);
    }
    add_order(columns, chunk, *context.arena);
    kept.append(columns, active);
    if (kept.rows > needed_ + std::max(needed_, kSurplus)) drop_surplus(kept, context);
  }

  ExprPtr needed(uint64_t order) const override { return bound_.before(order); }
  std::optional<InputOrder> wanted_order() const override {
    if (columns_.keys() == 0 || columns_.key(0) >= input_.size()) return std::nullopt;
    return InputOrder{columns_.key(0), columns_.direction(0).descending, columns_.direction(0).nulls_first};
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    std::vector<const Batch*> parts;
    for (auto& local : locals) {
      auto& kept = static_cast<Kept&>(*local);
      kept.seal();
      for (const Batch& batch : kept.batches) parts.push_back(&batch);
    }
    BufferBuilder<KeyRow> rows = best(parts, offset_, context);
    const size_t first = std::min(offset_, rows.size());
    const size_t last = std::min(needed_, rows.size());
    return pick_table(input_, parts, {rows.data() + first, last - first}, context.budget, kOrderBy,
                      context.cancellation);
  }

 private:
  static void add_order(std::vector<Vector>& columns, const Chunk& chunk, Arena& arena) {
    Vector& order = columns.emplace_back();
    order.type = TypeId::kUInt64;
    order.constant = true;
    order.values = &(*arena.allocate<uint64_t>(1) = chunk.order);
    Vector& row = columns.emplace_back();
    row.type = TypeId::kUInt64;
    auto* numbers = arena.allocate<uint64_t>(chunk.rows);
    for (uint32_t i = 0; i < chunk.rows; ++i) numbers[i] = chunk.first_row + i;
    row.values = numbers;
  }

  /// All rows of the parts; from number `first` on, those that the result needs are in place.
  BufferBuilder<KeyRow> best(const std::vector<const Batch*>& parts, size_t first,
                             const EvalContext& context) const {
    BufferBuilder<KeyRow> rows(context.budget, kOrderBy);
    for (size_t part = 0; part < parts.size(); ++part) {
      const size_t before = rows.size();
      rows.resize(before + static_cast<size_t>(parts[part]->rows));
      for (size_t i = before; i < rows.size(); ++i) rows[i].row = row_of(part, i - before);
    }
    Buffer scratch =
        Buffer::allocate(rows.size() * sizeof(KeyRow), context.budget, kOrderBy, Access::kRandom);
    std::vector<RowKey> keys = columns_.row_keys(parts);
    for (const size_t column : {kept_.size() - 2, kept_.size() - 1}) {
      RowKey& key = keys.emplace_back(RowKey{kept_[column].type, {}, {}});
      for (const Batch* part : parts) key.parts.push_back(part->columns[column].get());
    }
    const size_t begin = std::min(first, rows.size());
    const size_t end = std::min(needed_, rows.size());
    sort_rows({rows.data(), rows.size()}, scratch.mutable_as<KeyRow>(), keys,
              {rows.data() + begin, end - begin}, context.cancellation);
    return rows;
  }

  /// Keeps the first `needed_` rows of those held.
  void drop_surplus(Kept& kept, const EvalContext& context) const {
    kept.seal();
    std::vector<const Batch*> parts;
    for (const Batch& batch : kept.batches) parts.push_back(&batch);
    BufferBuilder<KeyRow> rows = best(parts, 0, context);
    Batch batch = pick_batch(kept_, parts, {rows.data(), needed_}, context.budget, kOrderBy);
    kept.batches.clear();
    kept.batches.push_back(std::move(batch));
    kept.rows = needed_;
    const Batch& best = kept.batches[0];
    const size_t last = needed_ - 1;
    bound_.tighten(best, static_cast<int64_t>(last),
                   best.columns[kept_.size() - 2]->values.as<uint64_t>()[last]);
  }

  const Schema input_;
  const SortColumns columns_;
  mutable Bound bound_;
  const size_t needed_;
  const size_t offset_;
  Schema kept_;  // the sort's columns and the rows' position in the input
};

}  // namespace

std::unique_ptr<Sink> make_top_n(const plan::Sort& sort, const Schema& input) {
  return std::make_unique<TopN>(sort, input);
}

}  // namespace lanewise::ops
