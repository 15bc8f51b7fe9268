#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Equality, prefix and a regular expression on rows of text at every level, naive and with refill. Calls
/// `emit` for each group when it is measured. Throws UserError for options that name something unknown.
std::vector<Group> run_strings(const StringsOptions& options, Bench& bench,
                               const std::function<void(const Group&)>& emit);

/// The names that StringsOptions::tests takes.
const std::vector<std::string>& string_test_names();

}  // namespace lanewise::cli::bench
