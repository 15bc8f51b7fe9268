#include "ops/project/project.h"

#include <utility>

namespace lanewise::ops {

void Project::run(Chunk& chunk, EvalContext& context) const {
  std::vector<Vector> columns;
  columns.reserve(exprs_.size());
  for (const ExprPtr& expr : exprs_) {
    const bool plain = expr->kind == Expr::Kind::kColumn;
    columns.push_back(plain ? chunk.columns[expr->column]
                            : evaluate(*expr, chunk.columns, chunk.active, context));
  }
  chunk.columns = std::move(columns);
}

}  // namespace lanewise::ops
