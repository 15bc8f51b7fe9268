#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "ops/join/build.h"
#include "ops/operator.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::ops {

/// A match that each row of a scan needs in a build side.
struct NeededMatch {
  size_t step;                                   ///< in Branch::steps
  std::vector<plan::JoinKey> keys;               ///< of the step
  std::vector<size_t> columns;                   ///< of the scan, one for each key, or kComputed
  std::shared_ptr<const Build> build = nullptr;  ///< with keys
  std::vector<ExprPtr> within =
      {};  ///< the columns lie between the least and the greatest keys, if these are known

  bool all_scanned() const { return std::ranges::find(columns, kComputed) == columns.end(); }
};

/// What must hold, in terms of the scan's columns, for a row to pass the branch's steps, up to one at which
/// rows matter that later steps drop. Other rows may be dropped before any step sees them (sideways
/// information passing: Beeri and Ramakrishnan, "On the power of magic", 1991).
struct EarlyFilters {
  std::vector<ExprPtr> predicates;
  std::vector<NeededMatch> matches;
};
EarlyFilters early_filters(const plan::Scan& scan, const plan::Branch& branch);

/// The build side that a step reads, if it is whole; else null.
using BuildOf = std::function<std::shared_ptr<const Build>(const plan::StepSpec&)>;

/// Adds the build sides to the matches, of which those without keys are removed, and predicates on their keys
/// for bounds: see may_hold().
void read_builds(EarlyFilters& filters, const plan::Branch& branch, const BuildOf& build_of);

/// Adds predicates that hold for values from the least key to the greatest.
void add_within(std::vector<ExprPtr>& predicates, const ExprPtr& value, const KeyRange& range);

}  // namespace lanewise::ops
