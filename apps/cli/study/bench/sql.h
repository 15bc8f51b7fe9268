#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// The queries that measure devices, on the CPU and on a GPU, with columns in their memory. Calls `emit` for
/// each group when it is measured. Throws UserError if the device does not exist.
std::vector<Group> run_sql(const SqlBenchOptions& options, Bench& bench,
                           const std::function<void(const Group&)>& emit);

/// The possible values of SqlBenchOptions::work.
std::vector<std::string> sql_work_names();

}  // namespace lanewise::cli::bench
