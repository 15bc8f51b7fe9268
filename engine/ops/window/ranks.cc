#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "ops/window/frame_order.h"
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

/// Ranks by the order of the arguments, among the rows of the frame.
class RankInFrame : public WindowFunction {
 public:
  RankInFrame(const plan::WindowCall& call, Frames frames) : call_(call.call), frames_(std::move(frames)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    order_.emplace(call_.order, rows, nullptr, context);
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    const std::vector<FrameRows> frames = frames_.of(rows, first, count, *context.arena);
    Vector parts;
    if (call_.function == "ntile") parts = rows.values(*call_.args.at(0), first, count, *context.arena);
    ColumnBuilder builder(call_.type, context.budget, kWindow);
    for (uint32_t i = 0; i < count; ++i) append(frames[i], first + i, parts, i, builder);
    return builder.finish();
  }

 private:
  void append(const FrameRows& frame, uint32_t row, const Vector& parts, uint32_t i,
              ColumnBuilder& builder) const {
    const std::string_view name = call_.function;
    const uint32_t size = frame.size();
    if (name == "row_number") return builder.append_physical(int64_t{order_->before(frame.pieces, row)} + 1);
    if (name == "rank") return builder.append_physical(int64_t{order_->less(frame.pieces, row)} + 1);
    if (name == "percent_rank")
      return builder.append_physical(size <= 1 ? 0.0 : order_->less(frame.pieces, row) / (size - 1.0));
    if (name == "cume_dist") {
      const double most = order_->not_greater(frame.pieces, row);
      return builder.append_physical(size == 0 ? 0.0 : most / size);
    }
    if (parts.is_null(i)) return builder.append_null();
    builder.append_physical(
        part_of_row(order_->before(frame.pieces, row), size, parts.as<int64_t>()[parts.constant ? 0 : i]));
  }

  const plan::AggregateCall call_;
  const Frames frames_;
  std::optional<FrameOrder> order_;
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

}  // namespace

std::unique_ptr<WindowFunction> make_rank(const plan::WindowCall& call, const Frames& frames) {
  const std::string_view name = call.call.function;
  const Type type = call.call.type;
  constexpr std::array kInFrames = {"row_number", "rank", "percent_rank", "cume_dist", "ntile"};
  if (!call.call.order.empty() && std::ranges::find(kInFrames, name) != kInFrames.end())
    return std::make_unique<RankInFrame>(call, frames);
  if (name == "row_number") return std::make_unique<Rank<int64_t>>(type, row_number);
  if (name == "rank") return std::make_unique<Rank<int64_t>>(type, rank);
  if (name == "dense_rank") return std::make_unique<Rank<int64_t>>(type, dense_rank);
  if (name == "percent_rank") return std::make_unique<Rank<double>>(type, percent_rank);
  if (name == "cume_dist") return std::make_unique<Rank<double>>(type, cume_dist);
  if (name == "ntile") return std::make_unique<Ntile>(call);
  return nullptr;
}

}  // namespace lanewise::ops
