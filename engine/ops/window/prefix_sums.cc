#include <algorithm>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "data/visit-inl.h"
#include "ops/aggregate/functions/functions.h"
#include "ops/window/contributors.h"
#include "ops/window/function.h"
#include "primitives/parallel.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kSummedRows = 1 << 16;  // rows that a thread adds up at a time

/// Counts and sums of integers of at most 64 bits: a frame's is the difference of two prefix sums. `Sum`
/// holds the sum of all rows.
template <class Sum>
class PrefixSums : public WindowFunction {
 public:
  PrefixSums(const plan::AggregateCall& call, bool counts, Frames frames)
      : call_(call), counts_(counts), frames_(std::move(frames)), prefixes_(nullptr, kWindow) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    Contributors contributors;
    contributors.find(call_, rows, context);
    prefixes_ = BufferBuilder<Prefix>(context.budget, kWindow);
    prefixes_.resize(rows.rows + size_t{1});
    const Column* column = call_.args.empty() ? nullptr : rows.columns[call_.args[0]->column].get();
    const auto add_up = [&](auto value_of) {
      fill(rows.rows, [&](Prefix& to, uint32_t row) {
        if (!contributors.passes_filter(row) || (column != nullptr && column->is_null(row))) return;
        ++to.count;
        to.sum += value_of(row);
      });
    };
    if (counts_) return add_up([](uint32_t) { return 0; });
    visit(column->type.physical(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(Sum))
        add_up([values = column->values.as<T>()](uint32_t row) { return values[row]; });
    });
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    ColumnBuilder builder(call_.type, context.budget, kWindow);
    for (const FrameRows& frame : frames) {
      Prefix all{};
      for (const FrameRows::Piece& piece : frame.pieces) {
        const Prefix &end = prefixes_[piece.end], &begin = prefixes_[piece.begin];
        all.add({end.sum - begin.sum, end.count - begin.count});
      }
      if (counts_) {
        builder.append_physical(all.count);
      } else if (all.count == 0) {
        builder.append_null();
      } else {
        builder.append_physical(int128_t{all.sum});
      }
    }
    return builder.finish();
  }

 private:
  /// The count and sum of rows [0, n), for each n.
  struct Prefix {
    Sum sum;
    int64_t count;  // rows that pass the filter and are not NULL

    void add(const Prefix& other) {
      sum += other.sum;
      count += other.count;
    }
  };

  /// `add(to, row)` adds a row.
  template <class Add>
  void fill(uint32_t rows, Add add) {
    const size_t blocks = (size_t{rows} + kSummedRows - 1) / kSummedRows;
    std::vector<Prefix> before(blocks);
    const auto each = [&](size_t block, Prefix to, auto after) {
      const auto first = static_cast<uint32_t>(block) * kSummedRows;
      for (uint32_t row = first; row < first + std::min(kSummedRows, rows - first); ++row) {
        add(to, row);
        after(row, to);
      }
      return to;
    };
    parallel_for(blocks,
                 [&](size_t block) { before[block] = each(block, {}, [](uint32_t, const Prefix&) {}); });
    Prefix all{};
    for (Prefix& block : before) {
      const Prefix of_block = std::exchange(block, all);
      all.add(of_block);
    }
    prefixes_[0] = {};
    parallel_for(blocks, [&](size_t block) {
      each(block, before[block], [&](uint32_t row, const Prefix& sum) { prefixes_[row + size_t{1}] = sum; });
    });
  }

  const plan::AggregateCall call_;
  const bool counts_;
  const Frames frames_;
  BufferBuilder<Prefix> prefixes_;
};

bool is_column(const ExprPtr& expr) { return expr->kind == Expr::Kind::kColumn; }

}  // namespace

std::unique_ptr<WindowFunction> make_prefix_sums(const plan::AggregateCall& call, const Frames& frames) {
  if (call.distinct) return nullptr;
  const AggregateFunction& function = function_of(call);
  const bool counts = function.reduction == Reduction::kCountRows ||
                      (function.reduction == Reduction::kCount && is_column(call.args[0]));
  const bool sums = function.reduction == Reduction::kSum && call.type.physical() == Physical::kInt128 &&
                    is_column(call.args[0]) && width(call.args[0]->type.physical()) <= sizeof(int64_t) &&
                    !call.args[0]->type.is_float();
  if (!counts && !sums) return nullptr;
  // A sum of 2^32 rows of INTEGER takes 64 bits.
  const auto needs_more = [](Physical type) {
    return type == Physical::kUInt32 || width(type) > sizeof(int32_t);
  };
  if (sums && needs_more(call.args[0]->type.physical()))
    return std::make_unique<PrefixSums<int128_t>>(call, counts, frames);
  return std::make_unique<PrefixSums<int64_t>>(call, counts, frames);
}

}  // namespace lanewise::ops
