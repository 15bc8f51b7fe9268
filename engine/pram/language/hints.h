#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pram/language/lexer.h"

namespace lanewise::pram {

/// How other languages write an assignment, and how to write it here.
struct AssignmentHint {
  std::string_view written;  ///< "+="
  std::string advice;        ///< "write x = x + 1"
  bool has_value = true;     ///< false for x++
};

/// For `tokens`: the target of an assignment starts at `target`, and `at` is the token after it.
std::optional<AssignmentHint> assignment_hint(std::span<const Token> tokens, size_t target, size_t at);

/// Whether the word starts a parallel loop in textbooks: forall, parfor.
bool begins_parallel_loop(std::string_view word);

}  // namespace lanewise::pram
