#include "study/bench/pipelines.h"

#include <fmt/format.h>

namespace lanewise::cli::bench {

namespace {

constexpr uint64_t kNumbersOfText = 4;
constexpr double kNumberKey = 8, kText = 64;  // bytes

}  // namespace

const std::vector<MeasuredPipeline>& measured_pipelines() {
  using ops::Rates;
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
      {"lookup", &Rates::lookup, 2, "numbers", "SELECT count(*), sum(v) FROM numbers JOIN keys ON few = k"},
      // As many rows are put into the build side as are looked up in it.
      {"join", &Rates::join, 4, "numbers",
       "SELECT count(*), sum(b.few) FROM numbers a JOIN numbers b ON a.far = b.far"},
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
  // DuckDB updates single tables by itself: GPUs do not support hash() and md5().
  const auto make = [&](std::string_view table, std::string_view columns, uint64_t count,
                        const std::string& values) {
    session.run(fmt::format("CREATE OR REPLACE TABLE {}(i BIGINT, {})", table, columns));
    session.run(fmt::format("INSERT INTO {}(i) FROM range({})", table, count));
    session.run(fmt::format("UPDATE {} SET {}", table, values));
  };
  make("numbers", "few BIGINT, many BIGINT, far BIGINT", rows,
       fmt::format("few = hash(i) % {}, many = hash(i + 1) % {}, far = hash(i + 2) >> 2",
                   static_cast<uint64_t>(ops::kFewGroups), static_cast<uint64_t>(ops::kManyGroups)));
  session.run(fmt::format("CREATE OR REPLACE TABLE keys AS SELECT i AS k, i % 7 AS v FROM range({}) r(i)",
                          static_cast<uint64_t>(ops::kFewKeys)));
  make("texts", "s VARCHAR", rows / kNumbersOfText,
       fmt::format("s = md5(i::VARCHAR) || md5((i + {})::VARCHAR)", rows / kNumbersOfText));
}

}  // namespace lanewise::cli::bench
