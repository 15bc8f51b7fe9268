#pragma once

#include <string>

namespace lanewise {

/// For tests: the message of the error of type E that f throws, or "no error". Other errors propagate.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace lanewise
