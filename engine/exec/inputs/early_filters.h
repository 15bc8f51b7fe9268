#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exec/execute.h"
#include "exec/inputs/column_store.h"
#include "exec/pipeline.h"
#include "ops/join/build.h"
#include "ops/step.h"

namespace lanewise::exec {

/// A join that drops each row of a scan without a match, and whose keys are columns of that scan.
struct NeededMatch {
  size_t step;                  ///< in Branch::steps
  std::vector<size_t> columns;  ///< of the scan, one for each key
};

/// What must hold for a row of a scan to reach the end of its branch, in terms of the scan's columns. Such rows
/// may be dropped before any step sees them (sideways information passing: Beeri and Ramakrishnan, "On the
/// power of magic", 1991).
struct EarlyFilters {
  std::vector<ExprPtr> predicates;
  std::vector<NeededMatch> matches;
};
EarlyFilters early_filters(const plan::Scan& scan, const Branch& branch);

/// A predicate over the scan's columns that holds for all rows with a match in the build side; null: none is
/// known. It is cheap to make and meant for bounds: see may_hold().
ExprPtr bounds_of_matches(const NeededMatch& match, const Branch& branch, const ops::Build& build);

/// The build side that a step reads, if it is whole; else null.
using BuildOf = std::function<std::shared_ptr<const ops::Build>(const StepSpec&)>;

/// Semi joins that are worth their time before the branch's steps, the most selective first, and the names of
/// their columns. `columns` are the scan's, of which rows are sampled.
struct SemiJoins {
  std::vector<std::unique_ptr<ops::Step>> steps;
  std::string columns;
};
SemiJoins semi_joins(const std::vector<NeededMatch>& matches, const Branch& branch, const BuildOf& build_of,
                     const std::vector<ColumnStore::Chunks>& columns, const Options& options);

}  // namespace lanewise::exec
