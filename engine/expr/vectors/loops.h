#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "active/active_set.h"
#include "data/physical_value.h"
#include "data/vector.h"
#include "expr/context.h"
#include "expr/expr.h"
#include "expr/vectors/vectors.h"

/// Turns a function of single values into evaluators of vectors and of Values.
namespace lanewise::expr {

/// Reads an argument row by row; a constant has the same value everywhere.
template <class T>
class Reader {
 public:
  explicit Reader(const Vector& vector) : values_(vector.as<T>()), stride_(vector.constant ? 0 : 1) {}
  T operator[](uint32_t row) const { return values_[row * stride_]; }

 private:
  const T* values_;
  size_t stride_;
};

template <>
class Reader<std::string_view> {
 public:
  explicit Reader(const Vector& vector) : vector_(vector) {}
  std::string_view operator[](uint32_t row) const { return vector_.text(row); }

 private:
  const Vector& vector_;
};

/// The context of a function of single values.
struct Site {
  const Expr& expr;
  Arena& arena;  ///< for strings that it returns
};

namespace each {

template <class T>
struct Lift {
  using Type = T;
  static constexpr bool optional = false;
};
template <class T>
struct Lift<std::optional<T>> {
  using Type = T;
  static constexpr bool optional = true;
};

template <auto f, class R, class... A, size_t... I>
Vector evaluate(const Expr& expr, [[maybe_unused]] std::span<const Vector> args, const ActiveSet& rows,
                EvalContext& context, R (*)(const Site&, A...), std::index_sequence<I...>) {
  const std::tuple<Reader<A>...> in{Reader<A>(args[I])...};
  const Site site{expr, *context.arena};
  using Out = typename Lift<R>::Type;
  Out* out;
  Vector result = new_vector<Out>(expr.type, rows.rows(), *context.arena, out);
  if constexpr (Lift<R>::optional) {
    uint64_t* validity = all_ones(rows.rows(), *context.arena);
    rows.for_each([&](uint32_t row) {
      const R value = f(site, std::get<I>(in)[row]...);
      if (value) {
        out[row] = *value;
      } else {
        out[row] = Out{};
        bits::clear(validity, row);
      }
    });
    result.validity = validity;
  } else {
    rows.for_each([&](uint32_t row) { out[row] = f(site, std::get<I>(in)[row]...); });
  }
  return result;
}

template <auto f, class R, class... A, size_t... I>
Value reference(const Expr& expr, [[maybe_unused]] std::span<const Value> args, R (*)(const Site&, A...),
                std::index_sequence<I...>) {
  Arena arena;
  const R value = f(Site{expr, arena}, from_value<A>(args[I])...);
  if constexpr (Lift<R>::optional) {
    return value ? to_value(expr.type, *value) : Value(expr.type);
  } else {
    return to_value(expr.type, value);
  }
}

template <class R, class... A>
auto indices(R (*)(const Site&, A...)) {
  return std::index_sequence_for<A...>{};
}

}  // namespace each

/// How often reference_each() has run on this thread, for the test that such functions have another oracle,
/// too (functions/function_test.cc).
inline thread_local uint64_t shared_references = 0;

/// Function::evaluate and Function::reference of `R f(const Site&, A...)`, which is called for each active
/// row. R may be std::optional: no value means NULL.
template <auto f>
Vector evaluate_each(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                     EvalContext& context) {
  return each::evaluate<f>(expr, args, rows, context, f, each::indices(f));
}
template <auto f>
Value reference_each(const Expr& expr, std::span<const Value> args) {
  ++shared_references;
  return each::reference<f>(expr, args, f, each::indices(f));
}

}  // namespace lanewise::expr
