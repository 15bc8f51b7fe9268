#pragma once

#include <memory>

#include "ops/join/build.h"
#include "ops/step.h"

namespace lanewise::ops {

/// The operator of a join for chunks of its left child: one of the two.
struct Probe {
  std::unique_ptr<Step> step;          ///< if each row has at most one row in the output
  std::unique_ptr<Expander> expander;  ///< otherwise
};

/// `join` and `left`, the left child's schema, outlive the probe.
Probe make_probe(const plan::Join& join, const Schema& left, const Schema& right,
                 std::shared_ptr<const Build> build);

}  // namespace lanewise::ops
