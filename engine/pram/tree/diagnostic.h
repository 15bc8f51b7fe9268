#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lanewise::pram {

/// A piece of a program's text; lines and columns (in bytes) count from 1.
struct Place {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t length = 1;

  bool operator==(const Place&) const = default;
};

/// What is wrong, where, and what to do about it.
struct Diagnostic {
  enum class Severity : uint8_t { kError, kWarning };

  Severity severity = Severity::kError;
  Place place;
  std::string message;
  std::string advice;  ///< may be empty
};

/// "sum.pram:3:7: ..." or "sum.pram:3:7: warning: ...", the line, a caret below the place, the advice.
std::string render(const Diagnostic& diagnostic, std::string_view text, std::string_view file);

/// A program with mistakes; what() holds all diagnostics, rendered.
class ProgramError : public UserError {
 public:
  ProgramError(std::vector<Diagnostic> diagnostics, std::string_view text, std::string_view file);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace lanewise::pram
