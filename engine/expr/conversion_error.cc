#include "expr/conversion_error.h"

#include <fmt/format.h>

namespace lanewise {

namespace {
constexpr size_t kLongestNamed = 100;  // bytes of a constant that a message repeats
}  // namespace

void raise_again(ConversionError& error, const Expr& cast) {
  const std::string constant = cast.args[0]->kind == Expr::Kind::kLiteral ? cast.args[0]->to_string() : "";
  if (!constant.empty() && constant.size() <= kLongestNamed) {
    ConversionError named(
        fmt::format("cannot convert {} to {}: {}", constant, cast.type.name(), error.what()));
    named.of_constant = true;
    throw named;
  }
  error.argument = cast.args[0];
  throw;  // the same exception, which the caller has caught
}

}  // namespace lanewise
