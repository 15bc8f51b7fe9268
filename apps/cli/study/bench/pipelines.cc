#include "study/bench/pipelines.h"

#include <fmt/format.h>

namespace lanewise::cli::bench {

namespace {

constexpr uint64_t kNumbersOfText = 4;
constexpr double kNumberKey = 8, kText = 64;  // bytes

}  // namespace

const std::vector<MeasuredPipeline>& measured_pipelines() {
  using exec::Rates;
  static const std::vector<MeasuredPipeline> pipelines = {
      {"scan", &Rates::scan, kNumberKey, "numbers", "SELECT sum(few) FROM numbers"},
      // 16 operators over rows that are read anyway.
      {"compute", &Rates::compute, 16, "numbers",
       "SELECT sum((few + 1) * (few + 2) + (few - 3) * (few + 4) + (few + 5) * (few - 6) + (few - 7) * (few "
       "- 8) + few)"
       " FROM numbers"},
      {"search", &Rates::search, kText, "texts", "SELECT count(*) FROM texts WHERE s LIKE '%abcd%'"},
      {"automaton", &Rates::automaton, kText, "texts",
       "SELECT count(*) FROM texts WHERE regexp_matches(s, '[0-9]{4}[a-f]{4}[0-9]')"},
      {"group", &Rates::group, 1, "numbers", "SELECT few, count(*) FROM numbers GROUP BY few"},
      {"many_groups", &Rates::many_groups, 1, "numbers",
       "SELECT count(*), sum(c) FROM (SELECT many, count(*) c FROM numbers GROUP BY many)"},
      {"sort", &Rates::sort, 1, "numbers", "SELECT far FROM numbers ORDER BY far"},
  };
  return pipelines;
}

uint64_t rows_of(const MeasuredPipeline& pipeline, uint64_t rows) {
  return pipeline.table == "texts" ? rows / kNumbersOfText : rows;
}

StoppableSession::StoppableSession(const SessionOptions& options, const Cancellation& cancellation)
    : session_(options), cancellation_(cancellation), stop_([this] { session_.cancel(); }) {}

StatementResult StoppableSession::run(const std::string& statement) {
  session_.begin();  // from here on a signal stops the statement
  cancellation_.check();
  return session_.run(statement);
}

void make_tables(StoppableSession& session, uint64_t rows) {
  session.run("SET preserve_insertion_order = false");
  // DuckDB runs prepared statements that create tables: GPUs do not support hash() and md5().
  const auto make = [&](std::string_view table, const std::string& values) {
    session.run(fmt::format("PREPARE fill AS CREATE OR REPLACE TABLE {} AS SELECT {}", table, values));
    session.run("EXECUTE fill");
    session.run("DEALLOCATE fill");
  };
  make("numbers",
       fmt::format("(hash(i) % {})::BIGINT AS few, (hash(i + 1) % {})::BIGINT AS many, (hash(i + 2) >> "
                   "2)::BIGINT AS far "
                   "FROM range({}) r(i)",
                   static_cast<uint64_t>(exec::kFewGroups), static_cast<uint64_t>(exec::kManyGroups), rows));
  make("texts", fmt::format("md5(i::VARCHAR) || md5((i + {0})::VARCHAR) AS s FROM range({0}) r(i)",
                            rows / kNumbersOfText));
}

}  // namespace lanewise::cli::bench
