#pragma once

#include <string>

#include "lanes/search/fixed.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// Finds rows with `text` at a fixed position, by comparisons of 8 bytes without branches.
Offer fixed_text(const Request& request, std::string text, lanes::Place place, std::string_view why);

}  // namespace lanewise::text::forms
