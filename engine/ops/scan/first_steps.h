#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/run/options.h"
#include "ops/scan/column_store.h"
#include "ops/scan/early_filters.h"
#include "ops/step.h"

namespace lanewise::ops {

/// Semi joins, and comparisons with the least and the greatest key, that are worth their time before the
/// branch's steps, the most selective first. `columns` are the scan's, of which rows are sampled.
struct FirstSteps {
  std::vector<std::unique_ptr<Step>> steps;
  std::string names;  ///< for the profile
};
FirstSteps first_steps(const std::vector<NeededMatch>& matches, const plan::Branch& branch,
                       const BuildOf& build_of, const std::vector<ColumnStore::Chunks>& columns,
                       const Options& options);

}  // namespace lanewise::ops
