#pragma once

#include <string>
#include <vector>

#include "data/column.h"
#include "exec/execute.h"
#include "plan/node.h"
#include "plan/pipeline/pipeline_text.h"
#include "sql/database.h"

/// The rows that EXPLAIN returns.
namespace lanewise {

/// A row for each line of a plan as text.
Table explained(const std::string& plan);
/// One row: the plan of a statement in the format that it names, below the statement if DuckDB writes its
/// rows. JSON has the pipelines, too.
Table explained(const plan::Node& plan, const std::vector<plan::PipelineText>& pipelines,
                const sql::Statement& statement);
/// What operators did, which EXPLAIN ANALYZE shows: as text a row for each, else one row.
Table explained(const std::vector<ops::OperatorProfile>& profile, sql::Statement::Format format);

}  // namespace lanewise
