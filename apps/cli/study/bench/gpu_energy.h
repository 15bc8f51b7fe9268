#pragma once

#include <optional>
#include <string>

namespace lanewise::cli::bench {

/// Joules that the first GPU has used since its driver was loaded, by NVML, which is opened at run time;
/// nothing if it cannot be read. The counter is updated some ten times a second.
std::optional<double> used_joules();

/// Why it cannot be read; empty if it can.
std::string why_no_joules();

}  // namespace lanewise::cli::bench
