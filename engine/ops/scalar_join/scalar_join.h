#pragma once

#include <string>
#include <vector>

#include "base/arena.h"
#include "ops/step.h"

namespace lanewise::ops {

class StepOperator;

/// Appends the columns of a table's only row, as constants; NULLs if the table is empty.
class ScalarJoin : public Step {
 public:
  /// Throws UserError(message) if the table has more than one row.
  ScalarJoin(const Table& table, const std::string& message);
  void run(Chunk& chunk, EvalContext& context) const override;

 private:
  Arena values_;
  std::vector<Vector> constants_;
};

/// The node ScalarJoin.
const StepOperator& scalar_join_operator();

}  // namespace lanewise::ops
