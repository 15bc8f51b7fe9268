#include "pram/machine/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "pram/machine/columns.h"

namespace lanewise::pram {

void Evaluator::evaluate(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) {
  switch (expr.op) {
    case Op::kLiteral:
      std::fill_n(out, lanes.count, expr.word);
      return;
    case Op::kParameter:
      std::fill_n(out, lanes.count, memory_.parameters[expr.index]);
      return;
    case Op::kControl:
      std::fill_n(out, lanes.count, (*frame.columns)[expr.index][0]);
      return;
    case Op::kProcessor:
      return processor(expr, frame, lanes, out);
    case Op::kPrivate: {
      const Word* column = (*frame.columns)[expr.index].data();
      if (lanes.list == nullptr) {
        std::copy_n(column + lanes.first, lanes.count, out);
      } else {
        for (uint32_t i = 0; i < lanes.count; ++i) out[i] = column[lanes.list[i]];
      }
      return;
    }
    case Op::kCell:
      return cell(expr, frame, lanes, out);
    case Op::kLet:
      return let(expr, frame, lanes, out);
    case Op::kAnd:
    case Op::kOr:
    case Op::kChoose:
      return choose(expr, frame, lanes, out);
    default:
      return call(expr, frame, lanes, out);
  }
}

void Evaluator::processor(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) const {
  if (frame.extents.size() == 1) {
    for (uint32_t i = 0; i < lanes.count; ++i) out[i] = lanes[i];
    return;
  }
  uint64_t stride = 1;  // processors between neighbours in this dimension
  for (size_t d = expr.index + 1; d < frame.extents.size(); ++d)
    stride *= static_cast<uint64_t>(frame.extents[d]);
  // All of these fit 32 bits, as the number of processors does.
  const auto step = static_cast<uint32_t>(stride);
  const auto extent = static_cast<uint32_t>(frame.extents[expr.index]);
  if (lanes.list != nullptr) {
    for (uint32_t i = 0; i < lanes.count; ++i) out[i] = lanes.list[i] / step % extent;
    return;
  }
  uint32_t number = lanes.first / step % extent;
  uint32_t passed = lanes.first % step;
  for (uint32_t i = 0; i < lanes.count; ++i) {
    out[i] = number;
    if (++passed != step) continue;
    passed = 0;
    if (++number == extent) number = 0;
  }
}

void Evaluator::cells(uint32_t variable, const std::vector<ExprPtr>& indexes, const Place& place,
                      const Frame& frame, const Lanes& lanes, Word* out) {
  const Array& array = memory_.variables[variable];
  if (indexes.empty()) {
    std::fill_n(out, lanes.count, 0);
    return;
  }
  const auto within = [](Word index, int64_t extent) {
    return static_cast<uint64_t>(index) < static_cast<uint64_t>(extent);
  };
  bool good = true;
  evaluate(*indexes[0], frame, lanes, out);
  for (uint32_t i = 0; i < lanes.count; ++i) good &= within(out[i], array.extents[0]);
  if (indexes.size() == 2) {
    const Scratch<Word> second(words_);
    evaluate(*indexes[1], frame, lanes, second.data);
    const int64_t columns = array.extents[1];
    for (uint32_t i = 0; i < lanes.count; ++i) {
      good &= within(second.data[i], columns);
      out[i] = static_cast<Word>(static_cast<uint64_t>(out[i]) * static_cast<uint64_t>(columns) +
                                 static_cast<uint64_t>(second.data[i]));
    }
  }
  if (!good) out_of_range(variable, indexes, place, frame, lanes);
}

void Evaluator::out_of_range(uint32_t variable, const std::vector<ExprPtr>& indexes, const Place& place,
                             const Frame& frame, const Lanes& lanes) {
  if (lanes.count != 1) throw Trap();
  const Array& array = memory_.variables[variable];
  std::vector<Word> values(indexes.size());
  for (size_t i = 0; i < indexes.size(); ++i) evaluate(*indexes[i], frame, lanes, &values[i]);
  throw Fault{place,
              fmt::format("[{}] is out of range: '{}' has {} cells, counted from 0", fmt::join(values, ", "),
                          tree_.variables[variable].name, fmt::join(array.extents, " x "))};
}

void Evaluator::cell(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) {
  const Word* words = memory_.variables[expr.index].words.data();
  if (expr.args.empty() && observer == nullptr) {
    std::fill_n(out, lanes.count, words[0]);
    return;
  }
  cells(expr.index, expr.args, expr.place, frame, lanes, out);
  if (observer != nullptr) observer->read(expr, out, lanes);
  for (uint32_t i = 0; i < lanes.count; ++i) out[i] = words[out[i]];
}

void Evaluator::let(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) {
  evaluate(*expr.args[0], frame, lanes, out);
  Word* column = (*frame.columns)[expr.index].data();
  for (uint32_t i = 0; i < lanes.count; ++i) column[lanes[i]] = out[i];
  evaluate(*expr.args[1], frame, lanes, out);
}

void Evaluator::choose(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) {
  if (expr.op == Op::kChoose) {
    const Scratch<Word> condition(words_);
    evaluate(*expr.args[0], frame, lanes, condition.data);
    where(condition.data, 1, *expr.args[1], frame, lanes, out);
    where(condition.data, 0, *expr.args[2], frame, lanes, out);
  } else {  // `where` reads each condition before it writes there
    evaluate(*expr.args[0], frame, lanes, out);
    where(out, expr.op == Op::kAnd ? 1 : 0, *expr.args[1], frame, lanes, out);
  }
}

void Evaluator::where(const Word* condition, Word wanted, const Expr& expr, const Frame& frame,
                      const Lanes& lanes, Word* out) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < lanes.count; ++i) found += condition[i] == wanted;
  if (found == 0) return;
  if (found == lanes.count) return evaluate(expr, frame, lanes, out);
  const Scratch<Word> values(words_);
  const Scratch<uint32_t> positions(numbers_);
  const Scratch<uint32_t> chosen(numbers_);
  uint32_t at = 0;
  for (uint32_t i = 0; i < lanes.count; ++i) {
    if (condition[i] != wanted) continue;
    positions.data[at] = i;
    chosen.data[at++] = lanes[i];
  }
  evaluate(expr, frame, {0, chosen.data, found}, values.data);
  for (uint32_t i = 0; i < found; ++i) out[positions.data[i]] = values.data[i];
}

const Word* Evaluator::operand(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* scratch) {
  if (expr.op == Op::kPrivate && lanes.list == nullptr) {
    return (*frame.columns)[expr.index].data() + lanes.first;
  }
  evaluate(expr, frame, lanes, scratch);
  return scratch;
}

void Evaluator::call(const Expr& expr, const Frame& frame, const Lanes& lanes, Word* out) {
  const Type from = expr.args[0]->type;
  const bool two = expr.args.size() > 1;
  const Scratch<Word> right(words_);
  const Word* a = operand(*expr.args[0], frame, lanes, out);
  const Word* b = two ? operand(*expr.args[1], frame, lanes, right.data) : a;
  const Word x = a[0];
  const Word y = b[0];
  const bool failed = two ? apply(expr.op, from, a, b, out, lanes.count)
                          : apply(expr.op, expr.type, from, a, out, lanes.count);
  if (!failed) return;
  if (lanes.count != 1) throw Trap();
  throw Fault{expr.place, failure(expr.op, expr.type, from, x, y)};
}

}  // namespace lanewise::pram
