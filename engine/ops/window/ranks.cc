#include <algorithm>
#include <optional>
#include <span>

#include "base/error.h"
#include "ops/window/frames/frame_order.h"
#include "ops/window/function.h"

namespace lanewise::ops {

namespace {

/// Calls f(cursor) for each row; the results are a column without NULLs.
template <class T, class F>
ColumnPtr each_row(Type type, const WindowRows& rows, uint32_t first, uint32_t count, MemoryBudget* budget,
                   F f) {
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = count;
  column->values = Buffer::allocate(count * sizeof(T), budget, kWindow);
  T* values = column->values.mutable_as<T>();
  WindowCursor cursor(rows, first);
  for (uint32_t i = 0; i < count; ++i, cursor.advance()) values[i] = f(cursor);
  return column;
}

int64_t row_number(const WindowCursor& cursor) {
  return int64_t{cursor.row()} - cursor.partition_begin() + 1;
}
int64_t rank(const WindowCursor& cursor) {
  return int64_t{cursor.peers_begin()} - cursor.partition_begin() + 1;
}
int64_t dense_rank(const WindowCursor& cursor) {
  return static_cast<int64_t>(cursor.group() - cursor.first_group()) + 1;
}
double percent_rank(const WindowCursor& cursor) {
  const uint32_t rows = cursor.partition_end() - cursor.partition_begin();
  return rows == 1 ? 0 : static_cast<double>(rank(cursor) - 1) / (rows - 1);
}
double cume_dist(const WindowCursor& cursor) {
  const uint32_t rows = cursor.partition_end() - cursor.partition_begin();
  return static_cast<double>(cursor.peers_end() - cursor.partition_begin()) / rows;
}

/// The part, from 1, to which row number `row` of `rows` belongs.
int64_t part_of_row(int64_t row, int64_t rows, int64_t parts) {
  if (parts < 1) throw UserError("Argument for ntile must be greater than zero");
  if (rows == 0) return 1;
  parts = std::min(parts, rows);
  const int64_t size = rows / parts;
  const int64_t large = rows - parts * size;  // parts of size + 1
  const int64_t before = large * (size + 1);  // rows in them
  return row < before ? 1 + row / (size + 1) : 1 + large + (row - before) / size;
}

// The same by an order of the call's own, among the rows of a frame.

int64_t row_number(const FrameOrder& order, const FrameRows& frame, uint32_t row) {
  return int64_t{order.before(frame.pieces, row)} + 1;
}
int64_t rank(const FrameOrder& order, const FrameRows& frame, uint32_t row) {
  return int64_t{order.less(frame.pieces, row)} + 1;
}
double percent_rank(const FrameOrder& order, const FrameRows& frame, uint32_t row) {
  return frame.size() <= 1 ? 0 : order.less(frame.pieces, row) / (frame.size() - 1.0);
}
double cume_dist(const FrameOrder& order, const FrameRows& frame, uint32_t row) {
  const double most = order.not_greater(frame.pieces, row);
  return frame.size() == 0 ? 0 : most / frame.size();
}

class InFrames : public WindowFunction {
 public:
  InFrames(const plan::WindowCall& call, Frames frames) : call_(call.call), frames_(std::move(frames)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    order_.emplace(call_.order, rows, nullptr, context);
  }

 protected:
  const plan::AggregateCall call_;
  const Frames frames_;
  std::optional<FrameOrder> order_;
};

template <class T>
class RankInFrame : public InFrames {
 public:
  using Value = T (*)(const FrameOrder&, const FrameRows&, uint32_t row);
  RankInFrame(const plan::WindowCall& call, Frames frames, Value value)
      : InFrames(call, std::move(frames)), value_(value) {}

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    return each_row<T>(call_.type, rows, first, count, context.budget, [&](const WindowCursor& cursor) {
      return value_(*order_, frames[cursor.row() - first], cursor.row());
    });
  }

 private:
  const Value value_;
};

class NtileInFrame : public InFrames {
 public:
  using InFrames::InFrames;

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    const Vector parts = rows.values(*call_.args.at(0), first, count, *context.arena);
    ColumnBuilder builder(call_.type, context.budget, kWindow);
    for (uint32_t i = 0; i < count; ++i) {
      if (parts.is_null(i)) {
        builder.append_null();
        continue;
      }
      const int64_t wanted = parts.as<int64_t>()[parts.constant ? 0 : i];
      builder.append_physical(
          part_of_row(order_->before(frames[i].pieces, first + i), frames[i].size(), wanted));
    }
    return builder.finish();
  }
};

template <class T>
class Rank : public WindowFunction {
 public:
  using Value = T (*)(const WindowCursor&);
  Rank(Type type, Value value) : type_(type), value_(value) {}

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    return each_row<T>(type_, rows, first, count, context.budget, value_);
  }

 private:
  const Type type_;
  const Value value_;
};

/// ntile(n): the partition in n parts whose sizes differ by at most one, larger ones first.
class Ntile : public WindowFunction {
 public:
  explicit Ntile(const plan::WindowCall& call) : parts_(call.call.args.at(0)), type_(call.call.type) {}

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const Vector parts = rows.values(*parts_, first, count, *context.arena);
    ColumnBuilder builder(type_, context.budget, kWindow);
    WindowCursor cursor(rows, first);
    for (uint32_t i = 0; i < count; ++i, cursor.advance()) {
      if (parts.is_null(i)) {
        builder.append_null();
      } else {
        builder.append_physical(part_of(cursor, parts.as<int64_t>()[parts.constant ? 0 : i]));
      }
    }
    return builder.finish();
  }

 private:
  static int64_t part_of(const WindowCursor& cursor, int64_t parts) {
    return part_of_row(cursor.row() - cursor.partition_begin(),
                       cursor.partition_end() - cursor.partition_begin(), parts);
  }

  const ExprPtr parts_;
  const Type type_;
};

template <class T, T (*kValue)(const WindowCursor&),
          T (*kInFrame)(const FrameOrder&, const FrameRows&, uint32_t) = nullptr>
std::unique_ptr<WindowFunction> make_rank(const plan::WindowCall& call, Frames frames) {
  if (kInFrame != nullptr && !call.call.order.empty())
    return std::make_unique<RankInFrame<T>>(call, std::move(frames), kInFrame);
  return std::make_unique<Rank<T>>(call.call.type, kValue);
}

std::unique_ptr<WindowFunction> make_ntile(const plan::WindowCall& call, Frames frames) {
  if (!call.call.order.empty()) return std::make_unique<NtileInFrame>(call, std::move(frames));
  return std::make_unique<Ntile>(call);
}

constexpr NamedWindowFunction kRankFunctions[] = {
    {"cume_dist", make_rank<double, cume_dist, cume_dist>},
    {"dense_rank", make_rank<int64_t, dense_rank>, true},
    {"ntile", make_ntile},
    {"percent_rank", make_rank<double, percent_rank, percent_rank>},
    {"rank", make_rank<int64_t, rank, rank>, true, true},
    {"row_number", make_rank<int64_t, row_number, row_number>, true, true},
};

}  // namespace

std::span<const NamedWindowFunction> rank_functions() { return kRankFunctions; }

}  // namespace lanewise::ops
