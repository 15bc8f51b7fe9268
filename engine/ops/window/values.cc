#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "ops/gather.h"
#include "ops/take.h"
#include "ops/window/frames/frame_order.h"
#include "ops/window/function.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kTakenRows = 2048;  // rows taken at a time

/// The rows that count: all, or with IGNORE NULLS those whose value is not NULL.
class CountedRows {
 public:
  /// Without a column all rows count.
  void find(const Column* column, MemoryBudget* budget) {
    if (column == nullptr) return;
    list_.emplace(budget, kWindow);
    before_.emplace(budget, kWindow);
    before_->reserve(static_cast<size_t>(column->rows) + 1);
    for (int64_t row = 0; row < column->rows; ++row) {
      before_->push_back(static_cast<uint32_t>(list_->size()));
      if (!column->is_null(row)) list_->push_back(static_cast<uint32_t>(row));
    }
    before_->push_back(static_cast<uint32_t>(list_->size()));
  }
  /// The number of counted rows among the first `row` rows.
  uint32_t before(uint32_t row) const { return before_ ? (*before_)[row] : row; }
  /// The i-th counted row.
  uint32_t at(uint32_t i) const { return list_ ? (*list_)[i] : i; }
  uint32_t count(FrameRows::Piece piece) const { return before(piece.end) - before(piece.begin); }

 private:
  std::optional<BufferBuilder<uint32_t>> list_;
  std::optional<BufferBuilder<uint32_t>> before_;
};

/// A function that returns the argument's value in another row.
class ValueOfRow : public WindowFunction {
 public:
  explicit ValueOfRow(const plan::WindowCall& call) : call_(call), value_(call.call.args.at(0)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    const bool skips = call_.ignore_nulls && value_->kind == Expr::Kind::kColumn;
    counted_.find(skips ? rows.columns[value_->column].get() : nullptr, context.budget);
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    std::vector<uint32_t> from(count);
    find(rows, first, count, from.data(), context);
    Gather gather(call_.call.type, context.budget, kWindow);
    Arena arena(context.budget, kWindow);
    for (uint32_t done = 0; done < count; done += kTakenRows) {
      arena.reset();
      const uint32_t some = std::min(kTakenRows, count - done);
      append(rows, first + done, std::span(from).subspan(done, some), arena, gather);
    }
    return gather.finish();
  }

 protected:
  /// from[i] = the row that gives the value for row first + i, or kNoRow.
  virtual void find(const WindowRows& rows, uint32_t first, uint32_t count, uint32_t* from,
                    EvalContext& context) const = 0;
  /// Appends the values for the rows from `first` on.
  virtual void append(const WindowRows& rows, [[maybe_unused]] uint32_t first, std::span<const uint32_t> from,
                      Arena& arena, Gather& gather) const {
    append_taken(rows, from, arena, gather);
  }

  void append_taken(const WindowRows& rows, std::span<const uint32_t> from, Arena& arena,
                    Gather& gather) const {
    const ActiveSet all(static_cast<uint32_t>(from.size()), arena);
    if (value_->kind == Expr::Kind::kColumn) {
      gather.append(take(*rows.columns[value_->column], from.data(), all), all);
      return;
    }
    for (const uint32_t row : from) {
      const ActiveSet one(1, arena);
      gather.append(constant(row == kNoRow ? Value(value_->type) : value_->literal, arena), one);
    }
  }

  const plan::WindowCall call_;
  const ExprPtr value_;
  CountedRows counted_;
};

/// lag and lead: the row `offset` rows before or after, within the frame's begin or end on that side, as in
/// the reference.
class Shifted : public ValueOfRow {
 public:
  Shifted(const plan::WindowCall& call, bool back, Frames frames)
      : ValueOfRow(call),
        frames_(std::move(frames)),
        offset_(call.call.args.at(1)),
        default_(call.call.args.at(2)),
        back_(back) {}

 protected:
  void find(const WindowRows& rows, uint32_t first, uint32_t count, uint32_t* from,
            EvalContext& context) const override {
    const Vector offsets = rows.values(*offset_, first, count, *context.arena);
    std::vector<FrameRows> frames;
    if (!frames_.are_partitions()) frames = frames_.of(rows, first, count, *context.arena);
    WindowCursor cursor(rows, first);
    for (uint32_t i = 0; i < count; ++i, cursor.advance()) {
      const auto [begin, end] = frames.empty()
                                    ? FrameRows::Piece{cursor.partition_begin(), cursor.partition_end()}
                                    : frames[i].pieces[0];
      const int64_t offset = offsets.as<int64_t>()[offsets.constant ? 0 : i];
      from[i] = offsets.is_null(i) ? kNoRow : shifted(cursor.row(), offset, begin, end);
    }
  }

  uint32_t shifted(uint32_t row, int64_t offset, uint32_t begin, uint32_t end) const {
    if (offset == 0) return row;
    const bool forward = (offset > 0) != back_;
    const uint64_t distance = offset > 0 ? static_cast<uint64_t>(offset) : 0 - static_cast<uint64_t>(offset);
    if (forward) {
      const uint64_t next = counted_.before(row + 1), last = counted_.before(std::max(row + 1, end));
      return distance > last - next ? kNoRow : counted_.at(static_cast<uint32_t>(next + distance - 1));
    }
    const uint64_t here = counted_.before(row), first = counted_.before(std::min(row, begin));
    return distance > here - first ? kNoRow : counted_.at(static_cast<uint32_t>(here - distance));
  }

  /// If there is no such row, the default is used.
  void append(const WindowRows& rows, uint32_t first, std::span<const uint32_t> from, Arena& arena,
              Gather& gather) const override {
    if (default_->kind == Expr::Kind::kLiteral && default_->literal.is_null())
      return append_taken(rows, from, arena, gather);
    const auto count = static_cast<uint32_t>(from.size());
    const Vector offsets = rows.values(*offset_, first, count, arena);
    const Vector defaults = rows.values(*default_, first, count, arena);
    const auto is_absent = [&](uint32_t row) { return from[row] == kNoRow && !offsets.is_null(row); };
    uint32_t end = 0;
    for (uint32_t begin = 0; begin < count; begin = end) {
      while (end < count && is_absent(end) == is_absent(begin)) ++end;
      if (is_absent(begin)) {
        gather.append(defaults, range(begin, end, count, arena));
      } else {
        append_taken(rows, from.subspan(begin, end - begin), arena, gather);
      }
    }
  }

  /// The rows [begin, end) of `count`.
  static ActiveSet range(uint32_t begin, uint32_t end, uint32_t count, Arena& arena) {
    auto* bitmap = arena.allocate<uint64_t>(bits::words(count));
    std::fill_n(bitmap, bits::words(count), uint64_t{0});
    for (uint32_t row = begin; row < end; ++row) bits::set(bitmap, row);
    ActiveSet rows(count, arena);
    rows.narrow(bitmap);
    return rows;
  }

  const Frames frames_;
  const ExprPtr offset_;
  const ExprPtr default_;
  const bool back_;
};

/// lag and lead by an order of their own, within the frame. With IGNORE NULLS the row is numbered among all
/// rows, and the row with the number that is wanted among those without NULL, as in the reference.
class ShiftedInFrame : public Shifted {
 public:
  using Shifted::Shifted;

  void prepare(const WindowRows& rows, EvalContext& context) override {
    const bool skips = call_.ignore_nulls && value_->kind == Expr::Kind::kColumn;
    const Column* const value = skips ? rows.columns[value_->column].get() : nullptr;
    order_.emplace(call_.call.order, rows, value, context);
    while (value != nullptr && null_row_ < rows.rows && !value->is_null(null_row_)) ++null_row_;
  }

 private:
  void find(const WindowRows& rows, uint32_t first, uint32_t count, uint32_t* from,
            EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    const Vector offsets = rows.values(*offset_, first, count, *context.arena);
    for (uint32_t i = 0; i < count; ++i) {
      from[i] = kNoRow;
      if (offsets.is_null(i)) continue;
      const FrameRows& frame = frames[i];
      const int64_t here = order_->before(frame.pieces, first + i);
      const int64_t offset = offsets.as<int64_t>()[offsets.constant ? 0 : i];
      int64_t n = 0;
      if (back_ ? __builtin_sub_overflow(here, offset, &n) : __builtin_add_overflow(here, offset, &n))
        continue;
      if (n < 0 || n >= frame.size()) continue;
      from[i] =
          n < order_->count(frame.pieces) ? order_->nth(frame.pieces, static_cast<uint32_t>(n)) : null_row_;
    }
  }

  std::optional<FrameOrder> order_;
  uint32_t null_row_ = 0;  // one whose value is NULL, if they are skipped
};

/// first_value, last_value and nth_value: a row of the frame.
class ValueOfFrame : public ValueOfRow {
 public:
  enum class Which : uint8_t { kFirst, kLast, kNth };
  ValueOfFrame(const plan::WindowCall& call, Which which, Frames frames)
      : ValueOfRow(call), which_(which), frames_(std::move(frames)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    if (call_.call.order.empty()) return ValueOfRow::prepare(rows, context);
    const bool skips = call_.ignore_nulls && value_->kind == Expr::Kind::kColumn;
    order_.emplace(call_.call.order, rows, skips ? rows.columns[value_->column].get() : nullptr, context);
  }

 private:
  void find(const WindowRows& rows, uint32_t first, uint32_t count, uint32_t* from,
            EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    Vector numbers;
    if (which_ == Which::kNth) numbers = rows.values(*call_.call.args.at(1), first, count, *context.arena);
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t seen = order_ ? order_->count(frames[i].pieces) : 0;
      for (const FrameRows::Piece& piece : frames[i].pieces) seen += order_ ? 0 : counted_.count(piece);
      int64_t wanted = which_ == Which::kLast ? static_cast<int64_t>(seen) : 1;
      if (which_ == Which::kNth)
        wanted = numbers.is_null(i) ? 0 : numbers.as<int64_t>()[numbers.constant ? 0 : i];
      const bool is_there = wanted >= 1 && static_cast<uint64_t>(wanted) <= seen;
      from[i] = is_there ? row_of(frames[i], static_cast<uint32_t>(wanted - 1)) : kNoRow;
    }
  }

  uint32_t row_of(const FrameRows& frame, uint32_t i) const {
    if (order_) return order_->nth(frame.pieces, i);
    size_t piece = 0;
    while (i >= counted_.count(frame.pieces[piece])) i -= counted_.count(frame.pieces[piece++]);
    return counted_.at(counted_.before(frame.pieces[piece].begin) + i);
  }

  const Which which_;
  const Frames frames_;
  std::optional<FrameOrder> order_;  // of the call's own
};

template <bool kBack>
std::unique_ptr<WindowFunction> make_shift(const plan::WindowCall& call, Frames frames) {
  if (!call.call.order.empty()) return std::make_unique<ShiftedInFrame>(call, kBack, std::move(frames));
  return std::make_unique<Shifted>(call, kBack, std::move(frames));
}

template <ValueOfFrame::Which kWhich>
std::unique_ptr<WindowFunction> make_value(const plan::WindowCall& call, Frames frames) {
  return std::make_unique<ValueOfFrame>(call, kWhich, std::move(frames));
}

constexpr NamedWindowFunction kValueFunctions[] = {
    {"first_value", make_value<ValueOfFrame::Which::kFirst>}, {"lag", make_shift<true>},
    {"last_value", make_value<ValueOfFrame::Which::kLast>},   {"lead", make_shift<false>},
    {"nth_value", make_value<ValueOfFrame::Which::kNth>},
};

}  // namespace

std::span<const NamedWindowFunction> value_functions() { return kValueFunctions; }

}  // namespace lanewise::ops
