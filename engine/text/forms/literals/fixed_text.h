#pragma once

#include <string>

#include "lanes/search/fixed.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// Rows that have `text` at a place, found by comparisons of 8 bytes without a jump.
Offer fixed_text(const Request& request, std::string text, lanes::Place place, std::string_view why);

}  // namespace lanewise::text::forms
