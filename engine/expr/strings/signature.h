#pragma once

#include <optional>
#include <span>

#include "data/type.h"

namespace lanewise::expr {

/// Whether an argument of type `given` is accepted for `wanted`: the same type, a bare NULL, or
/// INTEGER for BIGINT.
constexpr bool accepts(TypeId wanted, TypeId given) {
  return given == wanted || given == TypeId::kNull || (wanted == TypeId::kInt64 && given == TypeId::kInt32);
}

/// Function::resolve of a function with these arguments.
template <TypeId Result, TypeId... Wanted>
std::optional<Type> takes(std::span<const Type> args) {
  constexpr TypeId kWanted[] = {Wanted...};
  if (args.size() != sizeof...(Wanted)) return std::nullopt;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!accepts(kWanted[i], args[i].id)) return std::nullopt;
  }
  return Type(Result);
}

/// The same for `Least` or more strings.
template <size_t Least>
std::optional<Type> takes_texts(std::span<const Type> args) {
  if (args.size() < Least) return std::nullopt;
  for (const Type& arg : args) {
    if (!accepts(TypeId::kVarchar, arg.id)) return std::nullopt;
  }
  return Type(TypeId::kVarchar);
}

}  // namespace lanewise::expr
