#include "ops/window/accumulation.h"

#include "base/error.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/take.h"

namespace lanewise::ops {

Accumulation::Accumulation(const plan::AggregateCall& call) : call_(call) {
  const AggregateFunction& function = function_of(call);
  if (!function.distinct_matters || call.args.empty()) call_.distinct = false;
  if (!function.order_matters) call_.order.clear();
  make_ = function.make;
  make_(call_, nullptr);  // rejects bad constants now
}

std::unique_ptr<Accumulator> Accumulation::make(uint32_t groups, MemoryBudget* budget) const {
  auto made = make_(call_, budget);
  made->resize(groups);
  return made;
}

void Accumulation::update(Accumulator& to, const WindowRows& rows, std::span<const uint32_t> at,
                          const uint32_t* groups, uint64_t order, uint64_t first_row,
                          EvalContext& context) const {
  if (at.empty()) return;
  const ActiveSet all(static_cast<uint32_t>(at.size()), *context.arena);
  std::vector<Vector> args, keys;
  for (const ExprPtr& arg : call_.args) args.push_back(rows.values_at(*arg, at.data(), all));
  for (const plan::SortKey& key : call_.order) keys.push_back(rows.values_at(*key.expr, at.data(), all));
  to.update({args, keys, all, groups, order, first_row, false, context.target});
}

RowFeed::RowFeed(const Accumulation& accumulation, Accumulator& to, const WindowRows& rows, uint64_t order,
                 const EvalContext& context)
    : accumulation_(accumulation),
      to_(to),
      rows_(rows),
      order_(order),
      arena_(context.budget, kWindow),
      context_(context_like(context, arena_)) {}

void RowFeed::flush() {
  if (context_.cancellation != nullptr) context_.cancellation->check();
  arena_.reset();
  accumulation_.update(to_, rows_, at_, groups_.data(), order_, fed_, context_);
  fed_ += at_.size();
  at_.clear();
  groups_.clear();
}

}  // namespace lanewise::ops
