#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lanewise::cli::study {

/// The results of a study as one HTML page, which needs nothing else: plots, tables, text. Its light or dark
/// colours are the reader's; paper is light.
std::string report(const nlohmann::ordered_json& study);

/// Two studies side by side: of each measurement that both have, the times and their ratio.
std::string comparison(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                       const std::string& name_a, const std::string& name_b);

}  // namespace lanewise::cli::study
