#pragma once

#include <span>
#include <string>

#include "study/bench/bench.h"

namespace lanewise::cli::bench {

/// The lines above all tables: processor, read rate, seed, whether events are counted.
std::string heading(const Setting& setting);

/// A group as a table for people.
std::string table(const Setting& setting, const Group& group);

/// A group as JSON: its description, then its levels.
nlohmann::ordered_json to_json(const Group& group);

/// Everything as JSON.
std::string json(const Setting& setting, std::span<const Group> groups);

}  // namespace lanewise::cli::bench
