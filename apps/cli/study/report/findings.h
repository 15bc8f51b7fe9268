#pragma once

#include <string>

#include "study/report/page.h"
#include "study/report/results.h"

namespace lanewise::cli::study {

/// The slowest time of a level over all groups, divided by its fastest; 0: not measured.
double range_over(const Groups& groups, const std::string& name);
/// A level of this range depends on the selectivity.
inline constexpr double kFollows = 1.5;

/// The three findings of 2019, confirmed or refuted.
void write_findings(Page& page, const Results& results);

}  // namespace lanewise::cli::study
