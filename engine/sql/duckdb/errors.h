#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace lanewise::sql {

/// A statement is invalid: its syntax, names or types.
class SqlError : public UserError {
 public:
  SqlError(std::string_view message, std::optional<size_t> position)
      : UserError(message), position_(position) {}
  /// Position of the error in the statement, in bytes, if known.
  std::optional<size_t> position() const { return position_; }

 private:
  std::optional<size_t> position_;
};

/// The query is valid and DuckDB supports it, but the engine does not yet.
class UnsupportedError : public UserError {
 public:
  using UserError::UserError;
};

/// Throws UnsupportedError: "`what` supported yet"; `what` ends with "is not" or "are not".
[[noreturn]] void unsupported(const std::string& what);

/// Rethrows DuckDB's exception as an error of ours: UserError with its text (of syntax errors with line and
/// caret into `query`), CancelledError, MemoryError or InternalError. Our own errors pass unchanged.
[[noreturn]] void rethrow(const std::exception_ptr& error, const std::string& query = {});

/// Calls f() and converts DuckDB's exceptions to ours.
template <class F>
decltype(auto) translated(F&& f, const std::string& query = {}) {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    rethrow(std::current_exception(), query);
  }
}

}  // namespace lanewise::sql
