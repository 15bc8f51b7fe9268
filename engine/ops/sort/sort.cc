#include "ops/sort/sort.h"

#include <algorithm>

#include "ops/pick.h"
#include "ops/sort/top_n.h"
#include "ops/sorted_rows.h"
#include "ops/sorted_runs.h"

namespace lanewise::ops {

namespace {

/// Above this limit a top-n sorts all rows and cuts the result.
constexpr int64_t kMostKept = int64_t{1} << 20;

/// Keeps all rows, sorts their numbers, picks the rows in that order.
class Sort : public Sink {
 public:
  Sort(const plan::Sort& sort, const Schema& input)
      : input_(input), columns_(sort.keys, input), offset_(sort.offset), limit_(sort.limit) {}

  std::unique_ptr<Local> local() const override {
    return std::make_unique<SortedRuns>(columns_, columns_.keys(), kOrderBy);
  }

  void consume(Local& local, const Chunk& chunk, EvalContext& context) const override {
    static_cast<OrderedRows&>(local).append(
        {chunk.order, chunk.rows, columns_.of(chunk, context), chunk.active, chunk.first_row},
        context.budget);
  }

  Table finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) override {
    if (SortedRuns::any(locals)) {
      const size_t count = limit_ < 0 ? SIZE_MAX : static_cast<size_t>(limit_);
      return SortedRuns::merge(input_, locals, static_cast<size_t>(offset_), count, context);
    }
    SortedRows sorted(locals, context.budget, kOrderBy);
    const size_t first = std::min(static_cast<size_t>(offset_), sorted.size());
    const size_t rest = sorted.size() - first;
    const size_t count = limit_ < 0 ? rest : std::min(static_cast<size_t>(limit_), rest);
    sorted.sort(columns_, columns_.keys(), first, count, context.cancellation);
    return pick_table(input_, sorted.parts(), sorted.rows().subspan(first, count), context.budget, kOrderBy,
                      context.cancellation);
  }

 private:
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
