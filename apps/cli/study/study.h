#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "study/experiment.h"

namespace lanewise::cli::study {

using Json = nlohmann::ordered_json;

/// Measures what `parameters` name and writes study.json, study.parquet and report.html into `folder`. What a
/// run that was interrupted has left there is kept, if it was measured with the same parameters by the same
/// version on the same processor. Throws InternalError where two levels disagree, also in what was kept.
void run_study(const Parameters& parameters, const std::string& folder);

/// Reads study.json of a folder. Throws UserError where there is none.
Json read_study(const std::string& folder);

/// Throws InternalError where two levels of a work gave different results.
void check_agreement(const Json& groups);

}  // namespace lanewise::cli::study
