#pragma once

#include <memory>

#include "ops/join/build.h"
#include "ops/step.h"

namespace lanewise::ops {

/// What a join does to chunks of its left child: one of the two.
struct Probe {
  std::unique_ptr<Step> step;          ///< where a row has at most one row in the output
  std::unique_ptr<Expander> expander;  ///< where it may have several
};

/// `join` and `left`, the left child's schema, outlive the probe.
Probe make_probe(const plan::Join& join, const Schema& left, const Schema& right,
                 std::shared_ptr<const Build> build);

}  // namespace lanewise::ops
