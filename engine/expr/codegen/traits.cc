#include "expr/codegen/traits.h"

#include "expr/casts/cast.h"
#include "expr/codegen/cast_calls.h"
#include "expr/patterns/prepared_pattern.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::expr {

namespace {

using Form = Function::Form;

[[noreturn]] void refuse(const Expr& expr) {
  throw NotOnDevice(expr.to_string() + " is not supported on GPUs");
}

/// Goes through an expression as Emitter does.
class Analysis {
 public:
  explicit Analysis(const std::function<bool(const Expr&)>& may_be_null) : leaf_(may_be_null) {}

  DeviceTraits result(const Expr& expr) {
    traits_.may_be_null = may_be_null(expr);
    return traits_;
  }

 private:
  bool may_be_null(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kColumn:
        return leaf_(expr);
      case Expr::Kind::kLiteral:
        return expr.literal.is_null();
      case Expr::Kind::kCall:
        return call(expr);
      case Expr::Kind::kCast:
        return cast(expr);
      case Expr::Kind::kAnd:
      case Expr::Kind::kOr:
      case Expr::Kind::kCase:
      case Expr::Kind::kCoalesce:
      case Expr::Kind::kIn:
        any_of(expr, 0, expr.args.size());
        return true;
    }
    throw InternalError("unknown expression");
  }

  /// Whether an argument may be NULL; goes through all of them.
  bool any_of(const Expr& expr, size_t first, size_t end) {
    bool any = false;
    for (size_t arg = first; arg < std::min(end, expr.args.size()); ++arg)
      any |= may_be_null(*expr.args[arg]);
    return any;
  }

  bool call(const Expr& expr) {
    if (is_match(expr)) return leaf_(expr);
    if (const PreparedPattern* pattern = matched_pattern(expr)) {
      walked_automaton(expr, *pattern);
      traits_.is_long = true;
      traits_.may_fail |= !pattern->fault().empty();
      return may_be_null(*expr.args[0]);
    }
    switch (expr.function->form) {
      case Form::kIsDistinct:
      case Form::kIsNotDistinct:
      case Form::kIsNull:
      case Form::kIsNotNull:
        any_of(expr, 0, expr.args.size());
        return false;
      case Form::kConcat:
        join_texts(expr);
        return false;
      case Form::kConcatWs:
        join_texts(expr);
        return may_be_null(*expr.args[0]);
      case Form::kError:
        traits_.may_fail = true;
        [[fallthrough]];
      case Form::kGreatest:
      case Form::kLeast:
        any_of(expr, 0, expr.args.size());
        return true;
      case Form::kBetween:
        return any_of(expr, 0, expr.args.size());
      default: {
        const DeviceFunction device = called_on_device(expr);
        const bool any = any_of(expr, device.first, device.last);
        traits_.may_fail |= expr.function->raises || device.may_fail;
        return function(device) || any;
      }
    }
  }

  bool cast(const Expr& expr) {
    if (expr.args[0]->type.id == TypeId::kNull) {
      if (const Expr* before = evaluated_before_null(expr)) may_be_null(*before);
      return true;
    }
    const DeviceFunction device = cast_on_device(expr);
    const bool arg = may_be_null(*expr.args[0]);
    traits_.may_fail |= cast_may_fail(expr);
    return function(device) || arg || expr.try_cast;
  }

  /// Whether its value may be NULL even if no argument is.
  bool function(const DeviceFunction& device) {
    traits_.makes_texts |= device.makes_text;
    traits_.is_long |= !device.header.empty();
    return device.may_be_null;
  }

  void join_texts(const Expr& expr) {
    any_of(expr, 0, expr.args.size());
    traits_.makes_texts = traits_.is_long = true;
  }

  const std::function<bool(const Expr&)>& leaf_;
  DeviceTraits traits_;
};

}  // namespace

DeviceTraits device_traits(const Expr& expr, const std::function<bool(const Expr&)>& may_be_null) {
  return Analysis(may_be_null).result(expr);
}

DeviceTraits device_traits(const Expr& expr) {
  return device_traits(expr, [](const Expr&) { return false; });
}

const PreparedPattern* matched_pattern(const Expr& expr) {
  if (expr.kind != Expr::Kind::kCall || expr.type.id != TypeId::kBool || expr.args.empty()) return nullptr;
  const auto* pattern = dynamic_cast<const PreparedPattern*>(expr.prepared.get());
  // One by which some rows fail and others match is matched as those of rows are: one automaton does not
  // distinguish both.
  return pattern != nullptr && pattern->is_constant() && !pattern->matches_or_fails() ? pattern : nullptr;
}

bool is_match(const Expr& expr) {
  const PreparedPattern* pattern = matched_pattern(expr);
  return pattern != nullptr && pattern->fault().empty() && expr.args[0]->kind == Expr::Kind::kColumn;
}

lanes::AutomatonView automaton_of(const PreparedPattern& pattern) {
  if (pattern.pattern().compiled().automaton() == nullptr) {
    throw NotOnDevice("the pattern '" + pattern.pattern().source() +
                      "' is not supported on GPUs: its automaton is too large to complete");
  }
  return pattern.pattern().compiled().automaton()->view();
}

lanes::AutomatonView walked_automaton(const Expr& match, const PreparedPattern& pattern) {
  const lanes::AutomatonView automaton = automaton_of(pattern);
  if (size_t{automaton.states} * automaton.classes > kMostTableCells) refuse(match);
  return automaton;
}

DeviceFunction called_on_device(const Expr& call) {
  std::optional<DeviceFunction> device =
      call.function->device == nullptr ? std::nullopt : call.function->device(call);
  if (!device) refuse(call);
  return *std::move(device);
}

DeviceFunction cast_on_device(const Expr& cast) {
  std::optional<DeviceFunction> device = device_cast(cast.args[0]->type, cast.type);
  if (!device) refuse(cast);
  return *std::move(device);
}

bool cast_may_fail(const Expr& cast) { return !cast.try_cast && !holds_all(cast.args[0]->type, cast.type); }

const Expr* evaluated_before_null(const Expr& cast) {
  const Expr& arg = *cast.args[0];
  if (arg.kind == Expr::Kind::kCall) return &arg;
  if (arg.kind != Expr::Kind::kLiteral && arg.kind != Expr::Kind::kColumn) refuse(cast);
  return nullptr;
}

}  // namespace lanewise::expr
