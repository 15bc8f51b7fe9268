#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// Equality, prefix and a regular expression over rows of text, at every level, naive and with refill. Calls
/// `emit` for each group when it is measured. Throws UserError for unknown names in the options.
std::vector<Group> run_strings(const StringsOptions& options, Bench& bench,
                               const std::function<void(const Group&)>& emit);

/// The possible values of StringsOptions::tests.
const std::vector<std::string>& string_test_names();

}  // namespace lanewise::cli::bench
