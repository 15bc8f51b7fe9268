#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Lookups in ordered indexes, on the host by every strategy and by other searches, and on a GPU. Calls
/// `emit` for each group when it is measured. Throws UserError for a device that is not there.
std::vector<Group> run_index(const IndexBenchOptions& options, Bench& bench,
                             const std::function<void(const Group&)>& emit);

/// The names that IndexBenchOptions::work takes.
const std::vector<std::string>& index_work_names();

}  // namespace lanewise::cli::bench
