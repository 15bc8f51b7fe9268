#include <algorithm>
#include <optional>

#include "ops/aggregate/functions/interpolate.h"
#include "ops/aggregate/functions/share.h"
#include "ops/window/contributors.h"
#include "ops/window/function.h"
#include "ops/window/wavelet_matrix.h"
#include "primitives/parallel.h"
#include "primitives/sort/sort_keys.h"

namespace lanewise::ops {

namespace {

/// A value that takes part, in the order of values.
struct Ordered {
  uint64_t word;  ///< see order_word()
  uint32_t row;
};

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
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows.rows; ++row) {
      places[row] = count;
      count += contributors.passes_filter(row) && !column.is_null(row);
    }
    places[rows.rows] = count;
    Buffer ordered = in_order(rows, count, context);
    auto* const all = ordered.mutable_as<Ordered>();
    Buffer ranks = Buffer::allocate(size_t{count} * sizeof(uint32_t), context.budget, kWindow);
    auto* const rank = ranks.mutable_as<uint32_t>();
    rows_of_ranks_ = BufferBuilder<uint32_t>(context.budget, kWindow);
    for (uint32_t i = 0; i < count; ++i) {
      if (i == 0 || all[i].word != all[i - 1].word) rows_of_ranks_.push_back(all[i].row);
      rank[places[all[i].row]] = static_cast<uint32_t>(rows_of_ranks_.size() - 1);
    }
    ordered = Buffer();
    const auto distinct = static_cast<uint32_t>(rows_of_ranks_.size());
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
  /// The values that take part, sorted.
  Buffer in_order(const WindowRows& rows, uint32_t count, EvalContext& context) const {
    constexpr uint32_t kBlock = 2048;
    Buffer buffer = Buffer::allocate(size_t{count} * sizeof(Ordered), context.budget, kWindow);
    auto* const all = buffer.mutable_as<Ordered>();
    const auto* const places = places_.as<uint32_t>();
    const Expr& argument = *call_.args[0];
    parallel_for((rows.rows + kBlock - 1) / kBlock, [&](size_t block) {
      const auto first = static_cast<uint32_t>(block) * kBlock, size = std::min(kBlock, rows.rows - first);
      Arena arena(context.budget, kWindow);
      const Vector values = rows.values(argument, first, size, arena);
      const KeyWords words = key_words(values, ActiveSet(size, arena));
      for (uint32_t i = 0; i < size; ++i) {
        const uint32_t row = first + i;
        if (places[row + 1] != places[row])
          all[places[row]] = {order_word(argument.type, words.words[i]), row};
      }
    });
    if (context.cancellation != nullptr) context.cancellation->check();
    parallel_sort(all, all + count, [](const Ordered& a, const Ordered& b) { return a.word < b.word; });
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
  const bool is_median = call.function == "median", discrete = call.function == "quantile_disc";
  if (call.distinct || !(is_median || discrete || call.function == "quantile_cont")) return nullptr;
  const Expr& argument = *call.args[0];
  const Physical physical = argument.type.physical();
  const bool is_number = physical != Physical::kBool && !argument.type.is_string() && width(physical) <= 8;
  if (argument.kind != Expr::Kind::kColumn || !is_number) return nullptr;
  if (is_median)
    return std::make_unique<Quantiles>(call, half(), continuous(argument.type).has_value(), frames);
  if (call.args[1]->kind != Expr::Kind::kLiteral) return nullptr;
  return std::make_unique<Quantiles>(call, Share(call.args[1]->literal), !discrete, frames);
}

}  // namespace lanewise::ops
