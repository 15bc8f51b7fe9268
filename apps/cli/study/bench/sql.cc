#include "study/bench/sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "study/bench/pipelines.h"

namespace lanewise::cli::bench {

namespace {

constexpr uint64_t kRows = 1 << 22;

/// A query, and the rows of the table that it reads.
struct StudyQuery {
  std::string name, query;
  uint64_t rows;
};

std::vector<StudyQuery> queries_of(uint64_t rows) {
  std::vector<StudyQuery> queries;
  for (const MeasuredPipeline& pipeline : measured_pipelines())
    queries.push_back({pipeline.name, pipeline.query, rows_of(pipeline, rows)});
  return queries;
}

/// A device with the tables in its own database.
class Level {
 public:
  Level(const SessionOptions& options, const Cancellation& cancellation) : session_(options, cancellation) {}
  void make(uint64_t rows) { make_tables(session_, rows); }

  /// A hash of the answer that does not depend on the order of rows.
  uint64_t digest(const std::string& query) {
    const Table table = session_.run(query).table;
    uint64_t sum = 0;
    for (const Batch& batch : table.batches) {
      for (int64_t row = 0; row < batch.rows; ++row) {
        std::string text;
        for (const ColumnPtr& column : batch.columns) text += column->value(row).to_string() + "|";
        sum += std::hash<std::string>()(text);
      }
    }
    return sum;
  }
  double seconds(const std::string& query) {
    const StatementResult result = session_.run(query);
    kernel_seconds_ = 0;
    for (const ops::OperatorProfile& line : result.profile) kernel_seconds_ += line.kernel_seconds;
    return result.run_seconds;
  }
  /// Of the last run.
  nlohmann::ordered_json facts() const {
    if (kernel_seconds_ == 0) return nlohmann::ordered_json::object();
    return {{"kernel_seconds", kernel_seconds_}};
  }

 private:
  StoppableSession session_;
  double kernel_seconds_ = 0;
};

}  // namespace

std::vector<std::string> sql_work_names() {
  std::vector<std::string> names;
  for (const StudyQuery& query : queries_of(0)) names.push_back(query.name);
  return names;
}

std::vector<Group> run_sql(const SqlBenchOptions& options, Bench& bench,
                           const std::function<void(const Group&)>& emit) {
  const uint64_t rows = options.rows == 0 ? kRows : options.rows;
  const auto is_wanted = [&](const std::string& work) {
    return options.work.empty() ||
           std::find(options.work.begin(), options.work.end(), work) != options.work.end();
  };
  bench.say("making tables");
  std::vector<std::pair<std::string, std::unique_ptr<Level>>> levels;
  const auto open = [&](const char* name, const SessionOptions& given) {
    levels.emplace_back(name, std::make_unique<Level>(given, bench.cancellation()));
    levels.back().second->make(rows);
  };
  if (options.every_level) {
    SessionOptions one;
    one.threads = 1;
    open("simd, one core", one);
    one.lanes = "scalar";
    open("scalar, one core", one);
  }
  open("cpu", {});
  std::string no_gpu = "not requested";
  if (options.device != "cpu") {
    try {
      SessionOptions gpu;
      gpu.device = options.device == "auto" ? "cuda" : options.device;
      open("gpu", gpu);
      no_gpu.clear();
    } catch (const CancelledError&) {
      throw;
    } catch (const UserError& error) {
      if (options.device != "auto" && !options.every_level) throw;
      no_gpu = error.what();
    }
  }
  std::vector<Group> groups;
  for (const StudyQuery& query : queries_of(rows)) {
    if (!is_wanted(query.name)) continue;
    Group group;
    group.title = fmt::format("{}: {}", query.name, query.query);
    group.rows = query.rows;
    group.about = {{"work", query.name}, {"query", query.query}, {"rows", group.rows}};
    std::vector<Contender> contenders;
    for (const auto& [name, level] : levels) {
      Level* const at = level.get();
      contenders.push_back({.level = name,
                            .digest = [at, query] { return at->digest(query.query); },
                            .seconds = [at, query] { return at->seconds(query.query); },
                            .may_fail = name == "gpu",  // its plug-in that sorts may be missing
                            .facts = [at] { return at->facts(); }});
    }
    if (!no_gpu.empty()) contenders.push_back({.level = "gpu", .not_offered = no_gpu});
    groups.push_back(bench.measure(std::move(group), contenders));
    emit(groups.back());
  }
  return groups;
}

}  // namespace lanewise::cli::bench
