#pragma once

#include <cstdint>

#include "active/active_set.h"
#include "data/vector.h"
#include "text/matcher.h"

namespace lanewise::expr {

/// The rows of contiguous strings (Vector::Form::kText).
lanes::StringRows string_rows(const Vector& texts, uint32_t rows);

/// The active rows whose text matches, as a bitmap in the rows' arena; all other bits are 0. Flat text is
/// matched in place; views and dictionary codes are gathered into flat text first.
uint64_t* match_rows(const text::Matcher& matcher, const Vector& texts, const ActiveSet& rows,
                     text::MatchContext& context);

}  // namespace lanewise::expr
