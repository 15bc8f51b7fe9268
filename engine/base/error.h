#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lanewise {

/// The message with each NUL byte written as \0, since what() would end there.
std::string without_nuls(std::string_view message);

/// An error that the user can correct: invalid SQL, a damaged file, a bad pattern, a limit set too low. The
/// message says what is wrong and where.
class UserError : public std::runtime_error {
 public:
  explicit UserError(std::string_view message) : std::runtime_error(without_nuls(message)) {}
};

/// A budget was exceeded; what() names the operator and the limit.
class MemoryError : public UserError {
 public:
  using UserError::UserError;
};

/// The work was stopped on request; nothing was lost.
class CancelledError : public std::runtime_error {
 public:
  CancelledError() : std::runtime_error("cancelled") {}
};

/// A bug in Lanewise. Please report the message.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError with `what` unless `holds`: for invariants that only a bug can break.
inline void invariant(bool holds, const char* what) {
  if (!holds) throw InternalError(std::string("broken invariant: ") + what);
}

}  // namespace lanewise
