#include "ops/limit/limit.h"

#include "ops/ordered_rows.h"

namespace lanewise::ops {

Limit::Limit(Schema schema, int64_t limit, int64_t offset)
    : schema_(std::move(schema)),
      limit_(limit),
      offset_(offset),
      wanted_(limit < 0 || limit > INT64_MAX - offset ? INT64_MAX : offset + limit) {
  if (limit_ == 0) needed_below_ = 0;
}

std::unique_ptr<Sink::Local> Limit::local() const { return std::make_unique<OrderedRows>(schema_, "Limit"); }

bool Limit::count(uint64_t order, uint32_t rows) const {
  std::lock_guard lock(mutex_);
  if (order >= needed_below()) return false;
  seen_[order] += rows;
  seen_rows_ += rows;
  while (!seen_.empty() &&
         seen_rows_ - static_cast<int64_t>(seen_.rbegin()->second) >= wanted_) {  // the last one adds nothing
    seen_rows_ -= static_cast<int64_t>(seen_.rbegin()->second);
    needed_below_ = seen_.rbegin()->first;
    seen_.erase(std::prev(seen_.end()));
  }
  if (seen_rows_ < wanted_) return order < needed_below();
  // Later chunks of the last order come after enough rows.
  needed_below_ = seen_.rbegin()->first;
  return order <= needed_below();
}

void Limit::consume(Local& local, const Chunk& chunk, EvalContext& context) const {
  if (wanted_ == INT64_MAX || count(chunk.order, chunk.active.count())) {
    static_cast<OrderedRows&>(local).append(chunk, context.budget);
  }
}

Table Limit::finish(std::vector<std::unique_ptr<Local>> locals, EvalContext& context) {
  return OrderedRows::merge(schema_, locals, offset_, limit_, context.budget, "Limit");
}

}  // namespace lanewise::ops
