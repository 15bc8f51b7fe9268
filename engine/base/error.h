#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lanewise {

/// The message with \0 for each NUL byte, at which what() would end.
std::string without_nuls(std::string_view message);

/// The user can mend it: bad SQL, a bad file, a bad pattern, too small a limit. The message says what and
/// where.
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

/// Throws InternalError with `what` unless `holds`: for invariants whose breach would be our own fault.
inline void invariant(bool holds, const char* what) {
  if (!holds) throw InternalError(std::string("broken invariant: ") + what);
}

}  // namespace lanewise
