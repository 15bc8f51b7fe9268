#pragma once

#include <memory>
#include <string>

#include "text/forms/form.h"

namespace lanewise::text::forms {

enum class Place : uint8_t { kWhole, kBegin, kEnd };

/// Rows that have `text` at a place, told by a comparison of up to 8 bytes without a jump, and of the others
/// only where those are equal.
Offer fixed_text(std::string text, Place place, std::string why);

}  // namespace lanewise::text::forms
