#pragma once

#include <string>

#include "api/session.h"

namespace lanewise::cli {

/// The profile of a statement as text: one line per operator with rows, time, bytes, density, occupancy and
/// target.
std::string profile_report(const StatementResult& result, int width);

/// "plan 1.2 ms, run 35 ms, hot columns".
std::string timing_report(const StatementResult& result);

}  // namespace lanewise::cli
