#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/session.h"
#include "ops/work/costs.h"
#include "process/interrupt.h"

namespace lanewise::cli::bench {

/// A query that mostly measures one of ops::Rates.
struct MeasuredPipeline {
  std::string name;           ///< the rate's
  double ops::Rates::* rate;  ///< units per second
  double units;               ///< of a row
  std::string table;          ///< that make_tables() makes
  std::string query;
};

/// All of them, over tables that make_tables() makes.
const std::vector<MeasuredPipeline>& measured_pipelines();
/// Rows of the table; there are four times as many numbers as strings.
uint64_t rows_of(const MeasuredPipeline& pipeline, uint64_t rows);

/// A session whose statements Ctrl-C stops.
class StoppableSession {
 public:
  StoppableSession(const SessionOptions& options, const Cancellation& cancellation);
  /// As Session::run().
  StatementResult run(const std::string& statement);

 private:
  Session session_;
  const Cancellation& cancellation_;
  const OnInterrupt stop_;
};

/// Creates the tables in the session's database: `rows` numbers, a quarter as many strings of 64 bytes, and
/// kFewKeys keys.
void make_tables(StoppableSession& session, uint64_t rows);

}  // namespace lanewise::cli::bench
