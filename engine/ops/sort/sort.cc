#include "ops/sort/sort.h"

#include <algorithm>

#include "ops/ordered_rows.h"
#include "ops/sort/pick.h"
#include "ops/sort/sort_columns.h"
#include "ops/sort/top_n.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

/// Large, so that few pages and parts are touched when rows are picked from everywhere.
constexpr int64_t kBatchRows = int64_t{1} << 20;

/// Beyond this a top-n is a sort that is cut off at its end.
constexpr int64_t kMostKept = int64_t{1} << 20;

/// Keeps all rows, sorts their numbers, picks the rows in that order.
class Sort : public Sink {
 public:
  Sort(const plan::Sort& sort, const Schema& input)
      : input_(input), columns_(sort.keys, input), offset_(sort.offset), limit_(sort.limit) {}

  std::unique_ptr<Local> local() const override {
    return std::make_unique<OrderedRows>(columns_.schema(), kOrderBy, kBatchRows);
  }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    static_cast<OrderedRows&>(local).append(
        {chunk.order, chunk.rows, columns_.of(chunk, context), chunk.active}, context.budget);
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    const std::vector<OrderedRows::Place> places = OrderedRows::places(locals);
    std::vector<const Batch*> parts;
    for (const OrderedRows::Place& place : places) {
      parts.resize(std::max(parts.size(), place.part + 1));
      parts[place.part] = place.batch;
    }
    BufferBuilder<KeyRow> rows(context.budget, kOrderBy);
    number_rows(places, rows);
    const size_t first = std::min(static_cast<size_t>(offset_), rows.size());
    const size_t count =
        limit_ < 0 ? rows.size() - first : std::min(static_cast<size_t>(limit_), rows.size() - first);
    const std::span<const KeyRow> wanted(rows.data() + first, count);
    {
      Buffer scratch = Buffer::allocate(rows.size() * sizeof(KeyRow), context.budget, kOrderBy);
      sort_rows({rows.data(), rows.size()}, scratch.mutable_as<KeyRow>(), columns_.row_keys(parts), wanted,
                context.cancellation);
    }
    return pick_table(input_, parts, wanted, context.budget, kOrderBy, context.cancellation);
  }

 private:
  /// All rows in the input's order.
  static void number_rows(const std::vector<OrderedRows::Place>& places, BufferBuilder<KeyRow>& rows) {
    std::vector<size_t> starts;
    size_t count = 0;
    for (const OrderedRows::Place& place : places) {
      starts.push_back(count);
      count += static_cast<size_t>(place.rows);
    }
    rows.resize(count);
    parallel_for(places.size(), [&](size_t p) {
      KeyRow* to = rows.data() + starts[p];
      const uint64_t row = row_of(places[p].part, static_cast<size_t>(places[p].first));
      for (int64_t i = 0; i < places[p].rows; ++i) to[i].row = row + static_cast<uint64_t>(i);
    });
  }

  const Schema input_;
  const SortColumns columns_;
  const int64_t offset_;
  const int64_t limit_;
};

}  // namespace

std::unique_ptr<Sink> make_sort(const plan::Sort& sort, const Schema& input) {
  if (sort.limit >= 0 && sort.limit <= kMostKept && sort.offset <= kMostKept - sort.limit)
    return make_top_n(sort, input);
  return std::make_unique<Sort>(sort, input);
}

}  // namespace lanewise::ops
