#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ops/aggregate/functions/functions.h"
#include "ops/aggregate/functions/interpolate.h"
#include "ops/aggregate/functions/share.h"
#include "ops/window/contributors.h"
#include "ops/window/frames/wavelet_matrix.h"
#include "ops/window/function.h"
#include "primitives/parallel.h"
#include "primitives/sort/radix_sort.h"
#include "primitives/sort/sort_keys.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kRankedRows = 1 << 16;  // rows that a thread takes at a time

/// Calls f(i, number) for each i < count, where `number` is how many of those before i have `counts(i)`.
/// Returns how many have it. Parallel.
template <class Counts, class F>
uint32_t number_all(uint32_t count, Counts counts, F f) {
  const size_t blocks = (size_t{count} + kRankedRows - 1) / kRankedRows;
  std::vector<uint32_t> before(blocks);
  const auto each = [&](size_t block, auto take) {
    const auto first = static_cast<uint32_t>(block) * kRankedRows;
    for (uint32_t i = first; i < first + std::min(kRankedRows, count - first); ++i) take(i);
  };
  parallel_for(blocks, [&](size_t block) { each(block, [&](uint32_t i) { before[block] += counts(i); }); });
  uint32_t all = 0;
  for (uint32_t& of_block : before) all += std::exchange(of_block, all);
  parallel_for(blocks, [&](size_t block) {
    uint32_t number = before[block];
    each(block, [&](uint32_t i) {
      f(i, number);
      number += counts(i);
    });
  });
  return all;
}

/// Medians and quantiles of numbers of at most 64 bits.
class Quantiles : public WindowFunction {
 public:
  Quantiles(const plan::AggregateCall& call, const Share& share, bool interpolates, Frames frames)
      : call_(call), share_(share), interpolates_(interpolates), frames_(std::move(frames)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    const Column& column = *rows.columns[call_.args[0]->column];
    Contributors contributors;
    contributors.find(call_, rows, context);
    places_ = Buffer::allocate((rows.rows + size_t{1}) * sizeof(uint32_t), context.budget, kWindow);
    auto* const places = places_.mutable_as<uint32_t>();
    const auto takes_part = [&](uint32_t row) {
      return contributors.passes_filter(row) && !column.is_null(row);
    };
    const uint32_t count =
        number_all(rows.rows, takes_part, [&](uint32_t row, uint32_t number) { places[row] = number; });
    places[rows.rows] = count;
    Buffer ordered = in_order(rows, count, context);
    const auto* const all = ordered.as<KeyRow>();
    Buffer ranks = Buffer::allocate(size_t{count} * sizeof(uint32_t), context.budget, kWindow);
    auto* const rank = ranks.mutable_as<uint32_t>();
    const auto is_new = [&](uint32_t i) { return i == 0 || all[i].key != all[i - 1].key; };
    rows_of_ranks_ = BufferBuilder<uint32_t>(context.budget, kWindow);
    rows_of_ranks_.resize(count);
    const uint32_t distinct = number_all(count, is_new, [&](uint32_t i, uint32_t number) {
      if (is_new(i)) rows_of_ranks_[number] = static_cast<uint32_t>(all[i].row);
      rank[places[all[i].row]] = number - !is_new(i);
    });
    ordered = Buffer();
    BufferBuilder<uint32_t> few(context.budget, kWindow);
    few.append(rows_of_ranks_.data(), distinct);
    rows_of_ranks_ = std::move(few);
    ranks_ = WaveletMatrix(std::move(ranks), count, distinct, context.budget);
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    const Column& column = *rows.columns[call_.args[0]->column];
    ColumnBuilder builder(call_.type, context.budget, kWindow);
    if (interpolates_) {
      visit_continuous(column.type, [&](auto value, auto result) {
        using Result = decltype(result);
        append<decltype(value)>(frames, column, builder, context, [&](uint32_t values, auto at) {
          return interpolated<Result>(share_, values, call_.type, at);
        });
      });
    } else {
      visit(column.type.physical(), [&](auto value) {
        append<decltype(value)>(frames, column, builder, context,
                                [&](uint32_t values, auto at) { return at(share_.index(values)); });
      });
    }
    return builder.finish();
  }

 private:
  /// The values that take part, sorted: KeyRows with their words, see order_word().
  Buffer in_order(const WindowRows& rows, uint32_t count, EvalContext& context) const {
    Buffer buffer = Buffer::allocate(size_t{count} * sizeof(KeyRow), context.budget, kWindow);
    Buffer scratch = Buffer::allocate(buffer.size(), context.budget, kWindow, Access::kRandom);
    auto* const all = buffer.mutable_as<KeyRow>();
    const auto* const places = places_.as<uint32_t>();
    const Expr& argument = *call_.args[0];
    parallel_for((rows.rows + kRankedRows - 1) / kRankedRows, [&](size_t block) {
      const auto first = static_cast<uint32_t>(block) * kRankedRows,
                 size = std::min(kRankedRows, rows.rows - first);
      Arena arena(context.budget, kWindow);
      const Vector values = rows.values(argument, first, size, arena);
      const KeyWords words = key_words(values, ActiveSet(size, arena));
      for (uint32_t i = 0; i < size; ++i) {
        const uint32_t row = first + i;
        if (places[row + 1] != places[row])
          all[places[row]] = {order_word(argument.type, words.words[i]), row};
      }
    });
    radix_sort({all, count}, scratch.mutable_as<KeyRow>(), context.cancellation);
    return buffer;
  }

  /// Appends quantile(count, at) for each frame with `count` values of type T, of which at(k) is the k-th.
  template <class T, class Quantile>
  void append(const std::vector<FrameRows>& frames, const Column& column, ColumnBuilder& builder,
              const EvalContext& context, Quantile quantile) const {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const auto* const values = column.values.as<T>();
      const auto* const places = places_.as<uint32_t>();
      for (const FrameRows& frame : frames) {
        std::array<FrameRows::Piece, 3> pieces;
        uint32_t count = 0;
        for (size_t i = 0; i < pieces.size(); ++i) {
          pieces[i] = {places[frame.pieces[i].begin], places[frame.pieces[i].end]};
          count += pieces[i].size();
        }
        if (count == 0) {
          builder.append_null();
          continue;
        }
        const auto at = [&](size_t k) {
          const auto from_least = static_cast<uint32_t>(share_.descending ? count - 1 - k : k);
          return values[rows_of_ranks_[ranks_.smallest(pieces, from_least)]];
        };
        builder.append_physical(quantile(count, at));
      }
      if (context.cancellation != nullptr) context.cancellation->check();
    }
  }

  const plan::AggregateCall call_;
  const Share share_;
  const bool interpolates_;
  const Frames frames_;
  Buffer places_;  ///< uint32_t by row: how many values take part before it
  /// A row with each value, in the order of values.
  BufferBuilder<uint32_t> rows_of_ranks_{nullptr, kWindow};
  WaveletMatrix ranks_;  ///< of the values that take part
};

}  // namespace

std::unique_ptr<WindowFunction> make_quantiles(const plan::AggregateCall& call, const Frames& frames) {
  const Quantile quantile = function_of(call).quantile;
  if (call.distinct || quantile == Quantile::kNone) return nullptr;
  const Expr& argument = *call.args[0];
  const Physical physical = argument.type.physical();
  const bool is_number = physical != Physical::kBool && !argument.type.is_string() && width(physical) <= 8;
  if (argument.kind != Expr::Kind::kColumn || !is_number) return nullptr;
  const bool interpolates = quantile == Quantile::kInterpolated && continuous(argument.type);
  if (call.args.size() == 1) return std::make_unique<Quantiles>(call, half(), interpolates, frames);
  if (call.args[1]->kind != Expr::Kind::kLiteral) return nullptr;
  return std::make_unique<Quantiles>(call, Share(call.args[1]->literal), interpolates, frames);
}

}  // namespace lanewise::ops
