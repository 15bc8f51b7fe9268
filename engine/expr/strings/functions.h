#pragma once

#include <span>

#include "expr/function.h"

namespace lanewise {

std::span<const Function> string_functions();  ///< lower, substring, concat, ...

/// Its parts, one per file.
namespace expr {

std::span<const Function> length_functions();      ///< length.cc
std::span<const Function> case_functions();        ///< case.cc
std::span<const Function> trim_functions();        ///< trim.cc
std::span<const Function> substring_functions();   ///< substring.cc
std::span<const Function> concat_functions();      ///< concat.cc
std::span<const Function> split_functions();       ///< split.cc
std::span<const Function> replace_functions();     ///< replace.cc
std::span<const Function> pad_functions();         ///< pad.cc
std::span<const Function> reverse_functions();     ///< reverse.cc
std::span<const Function> normalize_functions();   ///< normalize.cc
std::span<const Function> code_point_functions();  ///< code_points.cc
std::span<const Function> encode_functions();      ///< encode.cc

/// The same function under another name.
constexpr Function alias(std::string_view name, Function function) {
  function.name = name;
  return function;
}

}  // namespace expr
}  // namespace lanewise
