#pragma once

#include <memory>

#include "ops/join/candidates.h"

namespace lanewise::ops {

/// Appends to each row whether it has a match: the three-valued OR of the join's conditions over all rows
/// of the build side, as IN and = ANY require.
std::unique_ptr<Step> make_mark_probe(Candidates candidates, const Schema& left);

}  // namespace lanewise::ops
