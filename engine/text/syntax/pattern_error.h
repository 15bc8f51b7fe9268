#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lanewise::text::syntax {

/// A UserError of the form
///   invalid regular expression: missing closing ')'
///     a(b
///      ^
/// Control characters are shown escaped; of a long pattern only the surroundings of the fault are shown.
UserError pattern_error(std::string_view what, std::string_view message, std::string_view pattern,
                        size_t begin, size_t end);

}  // namespace lanewise::text::syntax
