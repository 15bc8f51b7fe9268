#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Filters and aggregates of one column of numbers at every level. Calls `emit` for each group when it is
/// measured. Throws UserError for options that name something unknown.
std::vector<Group> run_scan(const ScanOptions& options, Bench& bench,
                            const std::function<void(const Group&)>& emit);

/// The names that ScanOptions::work and ScanOptions::type take.
const std::vector<std::string>& scan_work_names();
const std::vector<std::string>& scan_type_names();

}  // namespace lanewise::cli::bench
