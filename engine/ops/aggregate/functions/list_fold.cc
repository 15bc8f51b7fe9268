#include "ops/aggregate/functions/list_fold.h"

#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "expr/vectors/vectors.h"
#include "ops/aggregate/accumulators/accumulator.h"
#include "ops/aggregate/functions/functions.h"

namespace lanewise::ops {

namespace {

/// Each row is a group, and its elements the group's rows.
class AggregateFold : public expr::Fold {
 public:
  AggregateFold(plan::AggregateCall call, const AggregateFunction& function)
      : call_(std::move(call)), function_(function) {}

  Vector run(Type type, const expr::Elements& elements, const ActiveSet& rows,
             EvalContext& context) const override {
    Arena& arena = rows.arena();
    const std::unique_ptr<Accumulator> groups = function_.make(call_, context.budget);
    groups->resize(rows.rows());
    if (elements.count != 0) {
      std::vector<Vector> args{elements.values};
      for (size_t i = 1; i < call_.args.size(); ++i) args.push_back(constant(call_.args[i]->literal, arena));
      const ActiveSet all(elements.count, arena);
      groups->update({args, {}, all, expr::rows_of(elements, rows), 0, 0, false, context.target});
    }
    groups->seal();
    const ColumnPtr column = groups->finish(0, rows.rows(), context.cancellation);
    return copied(slice(*column, 0, rows.rows(), arena), type, rows);
  }

 private:
  /// The column is destroyed; its values stay in the arena.
  static Vector copied(const Vector& from, Type type, const ActiveSet& rows) {
    Arena& arena = rows.arena();
    auto* const same = arena.allocate<uint32_t>(rows.rows());
    std::iota(same, same + rows.rows(), 0);
    const Vector plain = from.form == Vector::Form::kDictionary ? expr::flatten(from, rows) : from;
    Vector result = expr::gather(plain, same, rows);
    result.type = type;
    if (!type.is_string()) return result;
    auto* const texts = const_cast<std::string_view*>(result.as<std::string_view>());
    rows.for_each([&](uint32_t row) {
      if (!result.is_null(row)) texts[row] = arena.copy_packed(texts[row]);
    });
    return result;
  }

  plan::AggregateCall call_;
  const AggregateFunction& function_;
};

}  // namespace

std::shared_ptr<const expr::Fold> make_fold(plan::AggregateCall call) {
  const AggregateFunction& function = function_of(call);
  return std::make_shared<AggregateFold>(std::move(call), function);
}

}  // namespace lanewise::ops
