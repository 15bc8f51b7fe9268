#include <string_view>

#include "base/int128.h"
#include "data/visit-inl.h"
#include "ops/window/contributors.h"
#include "ops/window/function.h"

namespace lanewise::ops {

namespace {

/// The counts and sums of rows [0, n), for each n.
struct Prefix {
  int128_t sum = 0;
  int64_t count = 0;  // rows that pass the filter and are not NULL
};

/// Counts and sums of integers of at most 64 bits: a frame's is the difference of two prefix sums.
class PrefixSums : public WindowFunction {
 public:
  PrefixSums(const plan::AggregateCall& call, Frames frames)
      : call_(call), frames_(std::move(frames)), prefixes_(nullptr, kWindow) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    Contributors contributors;
    contributors.find(call_, rows, context);
    prefixes_ = BufferBuilder<Prefix>(context.budget, kWindow);
    prefixes_.resize(rows.rows + size_t{1});
    prefixes_[0] = {};
    const Column* column = call_.args.empty() ? nullptr : rows.columns[call_.args[0]->column].get();
    const bool sums = call_.function != "count" && column != nullptr;
    const auto fill = [&](auto value_of) {
      Prefix all;
      for (uint32_t row = 0; row < rows.rows; ++row) {
        if (contributors.passes_filter(row) && (column == nullptr || !column->is_null(row))) {
          ++all.count;
          all.sum += value_of(row);
        }
        prefixes_[row + size_t{1}] = all;
      }
    };
    if (!sums) return fill([](uint32_t) { return 0; });
    visit(column->type.physical(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
        fill([values = column->values.as<T>()](uint32_t row) { return values[row]; });
      }
    });
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    ColumnBuilder builder(call_.type, context.budget, kWindow);
    for (const FrameRows& frame : frames) {
      Prefix all;
      for (const FrameRows::Piece& piece : frame.pieces) {
        all.sum += prefixes_[piece.end].sum - prefixes_[piece.begin].sum;
        all.count += prefixes_[piece.end].count - prefixes_[piece.begin].count;
      }
      if (call_.function != "sum") {
        builder.append_physical(all.count);
      } else if (all.count == 0) {
        builder.append_null();
      } else {
        builder.append_physical(all.sum);
      }
    }
    return builder.finish();
  }

 private:
  const plan::AggregateCall call_;
  const Frames frames_;
  BufferBuilder<Prefix> prefixes_;
};

bool is_column(const ExprPtr& expr) { return expr->kind == Expr::Kind::kColumn; }

}  // namespace

std::unique_ptr<WindowFunction> make_prefix_sums(const plan::AggregateCall& call, const Frames& frames) {
  if (call.distinct) return nullptr;
  const bool counts = call.function == "count_star" || (call.function == "count" && is_column(call.args[0]));
  const bool sums = call.function == "sum" && call.type.physical() == Physical::kInt128 &&
                    is_column(call.args[0]) && width(call.args[0]->type.physical()) <= sizeof(int64_t) &&
                    !call.args[0]->type.is_float();
  if (!counts && !sums) return nullptr;
  return std::make_unique<PrefixSums>(call, frames);
}

}  // namespace lanewise::ops
