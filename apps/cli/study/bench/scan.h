#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Filters and aggregates over one column of numbers, at every level. Calls `emit` for each group when it is
/// measured. Throws UserError for unknown names in the options.
std::vector<Group> run_scan(const ScanOptions& options, Bench& bench,
                            const std::function<void(const Group&)>& emit);

/// The possible values of ScanOptions::work and ScanOptions::type.
const std::vector<std::string>& scan_work_names();
const std::vector<std::string>& scan_type_names();

}  // namespace lanewise::cli::bench
