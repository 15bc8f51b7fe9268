#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lanewise::cli::study {

/// The results of a study as one self-contained HTML page: plots, tables, text. Its colours follow the
/// reader's setting; on paper they are light.
std::string report(const nlohmann::ordered_json& study);

/// Two studies compared: the times of each common measurement, and their ratio.
std::string comparison(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                       const std::string& name_a, const std::string& name_b);

}  // namespace lanewise::cli::study
