#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Look-ups in ordered indexes: on the host by every strategy and by other searches, and on a GPU. Calls
/// `emit` for each group when it is measured. Throws UserError if the device does not exist.
std::vector<Group> run_index(const IndexBenchOptions& options, Bench& bench,
                             const std::function<void(const Group&)>& emit);

/// The possible values of IndexBenchOptions::work.
const std::vector<std::string>& index_work_names();

}  // namespace lanewise::cli::bench
