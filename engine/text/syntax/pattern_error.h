#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lanewise::text {

/// A regular expression or a LIKE pattern is invalid or too large.
class PatternError : public UserError {
 public:
  using UserError::UserError;
};

namespace syntax {

/// An error of the form
///   invalid regular expression: missing closing ')'
///     a(b
///      ^
/// Control characters are escaped; of a long pattern only the surroundings of the error are shown.
PatternError pattern_error(std::string_view what, std::string_view message, std::string_view pattern,
                           size_t begin, size_t end);

}  // namespace syntax
}  // namespace lanewise::text
