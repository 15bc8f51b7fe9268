#include "ops/scalar_join/scalar_join.h"

#include "base/error.h"

namespace lanewise::ops {

ScalarJoin::ScalarJoin(const Table& table, const std::string& message) {
  const int64_t rows = table.rows();
  if (rows > 1) throw UserError(message);
  for (size_t i = 0; i < table.schema.size(); ++i) {
    constants_.push_back(constant(rows == 0 ? Value(table.schema[i].type) : table.value(0, i), values_));
  }
}

void ScalarJoin::run(Chunk& chunk, EvalContext&) const {
  chunk.columns.insert(chunk.columns.end(), constants_.begin(), constants_.end());
}

}  // namespace lanewise::ops
