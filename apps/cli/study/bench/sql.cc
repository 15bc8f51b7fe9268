#include "study/bench/sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "gpu/error.h"
#include "study/bench/pipelines.h"

namespace lanewise::cli::bench {

namespace {

constexpr uint64_t kRows = 1 << 22;

/// A device with the tables in its own database.
class Level {
 public:
  Level(const std::string& device, const std::optional<exec::PlacementCosts>& placement) {
    SessionOptions options;
    options.device = device;
    options.placement = placement;
    session_.emplace(options);
  }
  void make(uint64_t rows) { make_tables(*session_, rows); }

  /// A hash of the answer that does not depend on the order of rows.
  uint64_t digest(const std::string& query) {
    const Table table = session_->run(query).table;
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
  double seconds(const std::string& query) { return session_->run(query).run_seconds; }

 private:
  std::optional<Session> session_;
};

}  // namespace

std::vector<std::string> sql_work_names() {
  std::vector<std::string> names;
  for (const MeasuredPipeline& pipeline : measured_pipelines()) names.push_back(pipeline.name);
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
  Level cpu("cpu", std::nullopt);
  cpu.make(rows);
  std::optional<Level> gpu;
  std::string no_gpu = "not requested";
  if (options.device != "cpu") {
    try {
      gpu.emplace(options.device == "auto" ? "cuda" : options.device, std::nullopt);
      gpu->make(rows);
    } catch (const gpu::DeviceError& error) {
      if (options.device != "auto") throw;
      no_gpu = error.what();
    }
  }
  std::vector<Group> groups;
  for (const MeasuredPipeline& pipeline : measured_pipelines()) {
    if (!is_wanted(pipeline.name)) continue;
    Group group;
    group.title = fmt::format("{}: {}", pipeline.name, pipeline.query);
    group.rows = rows_of(pipeline, rows);
    group.about = {{"work", pipeline.name}, {"query", pipeline.query}, {"rows", group.rows}};
    std::vector<Contender> contenders;
    const auto add = [&](const char* name, Level& level) {
      contenders.push_back({.level = name,
                            .digest = [&level, &pipeline] { return level.digest(pipeline.query); },
                            .seconds = [&level, &pipeline] { return level.seconds(pipeline.query); }});
    };
    add("cpu", cpu);
    if (gpu) {
      add("gpu", *gpu);
    } else {
      contenders.push_back({.level = "gpu", .not_offered = no_gpu});
    }
    groups.push_back(bench.measure(std::move(group), contenders));
    emit(groups.back());
  }
  return groups;
}

}  // namespace lanewise::cli::bench
