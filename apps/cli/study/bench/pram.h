#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// PRAM programs on every executor of the machine, and the hand-written algorithm for the same problem. Calls
/// `emit` for each group when it is measured.
std::vector<Group> run_pram(const PramBenchOptions& options, Bench& bench,
                            const std::function<void(const Group&)>& emit);

/// The possible values of PramBenchOptions::work and ::programs.
const std::vector<std::string>& pram_work_names();
std::vector<std::string> pram_program_names();

}  // namespace lanewise::cli::bench
