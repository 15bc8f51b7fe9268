#include "expr/nested/functions.h"

#include "data/physical_value.h"
#include "expr/vectors/vectors.h"

namespace lanewise {

namespace expr {

Vector evaluate_rows(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  return visit(expr.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    Arena& arena = rows.arena();
    T* out;
    Vector result = new_vector<T>(expr.type, rows.rows(), arena, out);
    std::fill_n(out, rows.rows(), T{});
    uint64_t* validity = nullptr;
    std::vector<Value> values(args.size());
    rows.for_each([&](uint32_t row) {
      for (size_t i = 0; i < args.size(); ++i) values[i] = value_at(args[i], row);
      const Value value = expr.function->reference(expr, values);
      if (value.is_null()) {
        if (validity == nullptr) validity = all_ones(rows.rows(), arena);
        return bits::clear(validity, row);
      }
      out[row] = from_value<T>(value);
      if constexpr (std::is_same_v<T, std::string_view>) out[row] = arena.copy_packed(out[row]);
    });
    result.validity = validity;
    return result;
  });
}

}  // namespace expr

std::span<const Function> nested_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> result;
    for (const auto part : {expr::list_functions(), expr::search_functions(), expr::order_functions(),
                            expr::series_functions(), expr::struct_functions(), expr::map_functions(),
                            expr::fold_functions(), expr::lambda_functions()}) {
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }();
  return all;
}

}  // namespace lanewise
