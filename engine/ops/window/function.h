#pragma once

#include <memory>
#include <span>

#include "ops/window/frames/frames.h"
#include "ops/window/functions.h"

namespace lanewise::ops {

/// One call of a window node over its sorted rows.
class WindowFunction {
 public:
  virtual ~WindowFunction() = default;
  /// Work that needs all rows; called once, before evaluate(), inside the run's task arena.
  virtual void prepare(const WindowRows&, EvalContext&) {}
  /// The values for the rows [first, first + count); callable from several threads at once.
  virtual ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                             EvalContext& context) const = 0;
};

/// Number of values that a thread computes at a time.
inline constexpr uint32_t kWindowBatch = uint32_t{1} << 16;

// The parts of the table of window functions. The expressions of calls are columns of the rows or literals.

/// Ranks. With an order of the call's own, ranks are those among the rows of the frame.
std::span<const NamedWindowFunction> rank_functions();
/// Values of other rows: lag, lead (args: value, offset, default), first_value, last_value, nth_value (args:
/// value, n); an order of the call's own is that of the frame's rows.
std::span<const NamedWindowFunction> value_functions();
/// fill (args: value, the order's only key).
std::span<const NamedWindowFunction> fill_functions();

/// Counts and sums of integers, as differences of prefix sums; null for other calls.
std::unique_ptr<WindowFunction> make_prefix_sums(const plan::AggregateCall& call, const Frames& frames);
/// Medians and quantiles of numbers, found in a wavelet matrix; null for other calls.
std::unique_ptr<WindowFunction> make_quantiles(const plan::AggregateCall& call, const Frames& frames);
/// Any aggregate over frames.
std::unique_ptr<WindowFunction> make_window_aggregate(const plan::WindowCall& call, Frames frames);

}  // namespace lanewise::ops
