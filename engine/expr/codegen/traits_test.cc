#include "expr/codegen/traits.h"
#include "expr/functions/build.h"
#include "expr/functions/functions.h"

#include <gtest/gtest.h>

#include <optional>

#include "expr/casts/cast.h"
#include "expr/codegen/emitter.h"
#include "expr/testing/random_expressions.h"

/// What is known of expressions is what their sources have.
namespace lanewise::expr {
namespace {

/// The traits of the emitted source; nothing if devices do not support the expression.
std::optional<DeviceTraits> emitted(const Expr& expr, bool nullable) {
  try {
    Emitter out([&](const Expr&) { return Emitted{"x", nullable ? "there" : ""}; }, 0);
    const bool may_be_null = !out.emit(expr).valid.empty();
    const bool may_fail = out.take().find("failed |= ") != std::string::npos;
    return DeviceTraits{may_be_null, out.makes_texts(), !out.includes().empty(), may_fail};
  } catch (const NotOnDevice&) {
    return std::nullopt;
  }
}

std::optional<DeviceTraits> known(const Expr& expr, bool nullable) {
  try {
    return device_traits(expr, [&](const Expr&) { return nullable; });
  } catch (const NotOnDevice&) {
    return std::nullopt;
  }
}

/// The number of those that devices support.
size_t check(const std::vector<ExprPtr>& exprs) {
  size_t offered = 0;
  for (const ExprPtr& expr : exprs) {
    for (const bool nullable : {false, true}) {
      const auto one = known(*expr, nullable), other = emitted(*expr, nullable);
      EXPECT_EQ(one.has_value(), other.has_value()) << expr->to_string();
      if (!one || !other) continue;
      ++offered;
      EXPECT_EQ(one->may_be_null, other->may_be_null)
          << expr->to_string() << " of columns, nullable: " << nullable;
      EXPECT_EQ(one->makes_texts, other->makes_texts) << expr->to_string();
      EXPECT_EQ(one->is_long, other->is_long) << expr->to_string();
      EXPECT_EQ(one->may_fail, other->may_fail) << expr->to_string();
    }
  }
  return offered / 2;
}

TEST(DeviceTraits, OfFunctionsAndCastsAreThoseOfTheirSources) {
  const std::vector<Type> types = random::all_types();
  std::vector<ExprPtr> exprs;
  const auto add = [&](const Function& function, const std::vector<size_t>& args) {
    std::vector<Type> taken;
    std::vector<ExprPtr> given;
    for (const size_t arg : args) {
      taken.push_back(types[arg]);
      given.push_back(column(arg, types[arg]));
    }
    const bool needs_constant = function.refine != nullptr && args.size() > 1;
    if (!needs_constant && function.resolve(taken) && find_function(function.name, taken) == &function)
      exprs.push_back(call(function.name, given));
  };
  for (const Function& function : functions()) {
    using Form = Function::Form;
    const bool may_be_offered =
        function.device != nullptr || (function.form != Form::kCall && function.form != Form::kStruct);
    if (!may_be_offered || function.name == "strftime") continue;  // requires a constant format
    add(function, {});
    for (size_t a = 0; a < types.size(); ++a) {
      add(function, {a});
      add(function, {a, a, a});
      for (size_t b = 0; b < types.size(); ++b) add(function, {a, b});
    }
  }
  for (size_t a = 0; a < types.size(); ++a) {
    for (const Type to : types) {
      if (!can_cast(types[a], to) || types[a] == to) continue;
      for (const bool try_cast : {false, true}) exprs.push_back(cast(column(a, types[a]), to, try_cast));
    }
    exprs.push_back(cast(literal(Value()), types[a]));
  }
  EXPECT_GT(check(exprs), 500);
}

TEST(DeviceTraits, OfTreesAreThoseOfTheirSources) {
  random::Generator generator;
  for (const Type& type : random::all_types()) {
    if (type != TypeId::kInterval) generator.columns.push_back(type);
  }
  std::vector<ExprPtr> exprs;
  for (int i = 0; i < 3000; ++i) exprs.push_back(generator.any(generator.any_type(), 3));
  EXPECT_GT(check(exprs), 500);
}

}  // namespace
}  // namespace lanewise::expr
