#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "study/experiment.h"

namespace lanewise::cli::study {

using Json = nlohmann::ordered_json;

/// Measures what `parameters` name and writes study.json, study.parquet and report.html into `folder`.
/// Results of an interrupted run are kept if they have the same parameters, version and processor. Throws
/// InternalError if two levels disagree, also in kept results.
void run_study(const Parameters& parameters, const std::string& folder);

/// Writes these files again from the results in `folder`, which may be of another machine. Throws UserError
/// if there are none.
void write_report(const std::string& folder);

/// Reads study.json of a folder. Throws UserError if it does not exist.
Json read_study(const std::string& folder);

/// Throws InternalError if two levels of a task gave different results.
void check_agreement(const Json& groups);

}  // namespace lanewise::cli::study
