#include "ops/window/contributors.h"

#include <algorithm>

#include "ops/take.h"
#include "primitives/groups/grouping.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kNumberedRows = 2048;

/// Calls f(first, count) for blocks of the rows.
template <class F>
void for_each_block(const WindowRows& rows, const EvalContext& context, F f) {
  for (uint32_t first = 0; first < rows.rows; first += kNumberedRows) {
    if (context.cancellation != nullptr) context.cancellation->check();
    f(first, std::min(kNumberedRows, rows.rows - first));
  }
}

}  // namespace

void Contributors::find(const plan::AggregateCall& call, const WindowRows& rows, EvalContext& context) {
  Arena arena(context.budget, kWindow);
  if (call.filter != nullptr) {
    EvalContext own = context_like(context, arena);
    passes_ = Buffer::allocate(bits::words(rows.rows) * sizeof(uint64_t), context.budget, kWindow);
    const ExprPtr filter = column(0, call.filter->type);
    for_each_block(rows, context, [&](uint32_t first, uint32_t count) {
      arena.reset();
      const Vector value = rows.values(*call.filter, first, count, arena);
      const ActiveSet passing = narrow(*filter, {&value, 1}, ActiveSet(count, arena), own);
      std::copy_n(passing.bitmap(), bits::words(count), passes_->mutable_as<uint64_t>() + first / 64);
    });
  }
  if (!call.distinct || call.args.empty()) return;
  std::vector<Type> types;
  for (const ExprPtr& arg : call.args) types.push_back(arg->type);
  Grouping values(types, context.budget, kWindow);
  BufferBuilder<uint32_t> last(context.budget, kWindow);  // row of each value
  previous_.emplace(context.budget, kWindow);
  previous_->resize(rows.rows);
  for_each_block(rows, context, [&](uint32_t first, uint32_t count) {
    arena.reset();
    std::vector<Vector> args;
    for (const ExprPtr& arg : call.args) args.push_back(rows.values(*arg, first, count, arena));
    auto* numbers = arena.allocate<uint32_t>(count);
    values.find_or_add(args, ActiveSet(count, arena), numbers);
    while (last.size() < values.size()) last.push_back(kNoRow);
    for (uint32_t i = 0; i < count; ++i) {
      (*previous_)[first + i] = last[numbers[i]];
      if (passes_filter(first + i)) last[numbers[i]] = first + i;
    }
  });
}

bool Contributors::has_earlier(uint32_t row, const FrameRows& frame) const {
  for (uint32_t earlier = (*previous_)[row]; earlier != kNoRow; earlier = (*previous_)[earlier]) {
    bool before_all = true;
    for (const FrameRows::Piece& piece : frame.pieces) {
      if (piece.size() == 0) continue;
      if (earlier >= piece.begin && earlier < piece.end) return true;
      before_all &= earlier < piece.begin;
    }
    if (before_all) return false;
  }
  return false;
}

}  // namespace lanewise::ops
