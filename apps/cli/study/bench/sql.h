#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// The queries by which devices are measured, on the CPU and on a GPU, columns in their memory. Calls `emit`
/// for each group when it is measured. Throws UserError for a device that is not there.
std::vector<Group> run_sql(const SqlBenchOptions& options, Bench& bench,
                           const std::function<void(const Group&)>& emit);

/// The names that SqlBenchOptions::work takes.
std::vector<std::string> sql_work_names();

}  // namespace lanewise::cli::bench
