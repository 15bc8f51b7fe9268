#include "sql/scan/rows_function.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "sql/duckdb/duckdb_headers.h"
#include "sql/values/types.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

/// Rows that one thread takes at a time: a row group of Parquet. A multiple of 64, so that bitmaps start on
/// words.
constexpr int64_t kPartRows = 122'880;

constexpr duckdb::idx_t kManyThreads = 1024;  // for rows of unknown number

constexpr const char* kName = "lanewise_rows";
constexpr const char* kArrow = "read_arrow";
constexpr const char* kArrowExtensions[] = {".arrow", ".arrows", ".feather", ".ipc"};

struct Info : duckdb::TableFunctionInfo {
  explicit Info(std::shared_ptr<ExposedRows> rows) : exposed(std::move(rows)) {}
  std::shared_ptr<ExposedRows> exposed;
};

struct BindData : duckdb::TableFunctionData {
  const Batches* rows = nullptr;         // else
  std::shared_ptr<const Source> source;  // this one
  std::shared_ptr<ExposedRows> exposed;
  std::vector<std::string> files;  // of read_arrow()
};

struct LocalState : duckdb::LocalTableFunctionState {
  std::shared_ptr<const Batch> batch;  // null: no rows are left
  size_t part = 0;
  int64_t next = 0;  // its next row to read
  int64_t end = 0;
};

struct GlobalState : duckdb::GlobalTableFunctionState {
  Batches rows;
  std::vector<size_t> columns;  // of the batches, as DuckDB requires them

  duckdb::idx_t MaxThreads() const override {
    return rows.rows < 0 ? kManyThreads : static_cast<duckdb::idx_t>(rows.rows / kPartRows + 1);
  }

  /// Gives a thread the next part.
  void take(LocalState& local) {
    const std::lock_guard lock(mutex_);
    while (batch_ != nullptr && given_ == batch_->rows) {
      std::optional<Batch> next = rows.next();
      batch_ = next ? std::make_shared<const Batch>(std::move(*next)) : nullptr;
      given_ = 0;
    }
    local.batch = batch_;
    if (batch_ == nullptr) return;
    local.part = parts_++;
    local.next = given_;
    local.end = given_ = std::min(given_ + kPartRows, batch_->rows);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Batch> batch_ = std::make_shared<const Batch>();
  int64_t given_ = 0;  // rows of the batch
  size_t parts_ = 0;
};

/// Nested columns have DuckDB's types: no cast could give the members of a UNION their types later.
void name_columns(const Schema& schema, duckdb::ClientContext& context,
                  duckdb::vector<duckdb::LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  for (const Field& field : schema) {
    types.push_back(field.type.is_nested() ? duckdbs_type(field, context) : to_duckdb(field.type));
    names.push_back(field.name);
  }
  duckdb::QueryResult::DeduplicateColumns(names);
}

duckdb::unique_ptr<duckdb::FunctionData> bind(duckdb::ClientContext& context,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& types,
                                              duckdb::vector<duckdb::string>& names) {
  auto data = duckdb::make_uniq<BindData>();
  data->exposed = input.info->Cast<Info>().exposed;
  const ExposedRows& exposed = *data->exposed;
  if (input.inputs.empty()) {
    data->rows = exposed.rows;
  } else if (const auto found = exposed.sources.find(input.inputs[0].ToString());
             found != exposed.sources.end()) {
    data->source = found->second;
  }
  if (data->rows == nullptr && data->source == nullptr)
    throw duckdb::BinderException("lanewise_rows() is for statements of Lanewise itself");
  name_columns(data->source ? data->source->schema() : data->rows->schema, context, types, names);
  return data;
}

/// The files of a pattern, ordered by name; a path without wildcards is one file.
std::vector<std::string> matching_files(duckdb::ClientContext& context, const std::string& pattern) {
  if (!duckdb::FileSystem::HasGlob(pattern)) return {pattern};
  std::vector<std::string> paths;
  for (const duckdb::OpenFileInfo& file : duckdb::FileSystem::GetFileSystem(context).Glob(pattern))
    paths.push_back(file.path);
  if (paths.empty()) throw duckdb::IOException("No files found that match the pattern \"" + pattern + "\"");
  std::ranges::sort(paths);
  return paths;
}

duckdb::unique_ptr<duckdb::FunctionData> bind_arrow(duckdb::ClientContext& context,
                                                    duckdb::TableFunctionBindInput& input,
                                                    duckdb::vector<duckdb::LogicalType>& types,
                                                    duckdb::vector<duckdb::string>& names) {
  auto data = duckdb::make_uniq<BindData>();
  data->exposed = input.info->Cast<Info>().exposed;
  data->files = matching_files(context, input.inputs[0].ToString());
  data->source = data->exposed->open_arrow(data->files);
  name_columns(data->source->schema(), context, types, names);
  return data;
}

/// Calls f(), and passes its errors on in the form that DuckDB expects.
template <class F>
auto in_duckdb(F f) {
  try {
    return f();
  } catch (const CancelledError&) {
    throw duckdb::InterruptException();
  } catch (const MemoryError& error) {
    throw duckdb::OutOfMemoryException(error.what());
  }
}

/// Reads the requested columns of a source into `state`. Virtual columns only need the number of rows.
void read(const BindData& data, const duckdb::vector<duckdb::column_t>& wanted, GlobalState& state) {
  const Source& source = *data.source;
  std::vector<size_t> columns;
  for (const duckdb::column_t column : wanted) {
    state.columns.push_back(column < source.schema().size() ? columns.size() : SIZE_MAX);
    if (column < source.schema().size()) columns.push_back(column);
  }
  auto table = std::make_shared<Table>();
  in_duckdb([&] {
    const auto scan =
        source.scan(columns, BatchSize::kKept, data.exposed->budget, data.exposed->cancellation);
    const auto worker = scan->worker();
    while (auto next = worker->next()) table->batches.push_back(std::move(next->batch));
  });
  state.rows = batches_of(*table);
  state.rows.next = [table, next = state.rows.next] { return next(); };
}

/// A stream's rows; its error is kept, and thrown by the statement in its own form.
std::optional<Batch> next_of_stream(ExposedRows& exposed) {
  return in_duckdb([&] {
    try {
      return exposed.rows->next();
    } catch (...) {
      exposed.failed = std::current_exception();
      throw;
    }
  });
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> init_global(duckdb::ClientContext&,
                                                                 duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<GlobalState>();
  const auto& data = input.bind_data->Cast<BindData>();
  if (data.source) {
    read(data, input.column_ids, *state);
  } else {
    state->rows = *data.rows;
    state->rows.next = [exposed = data.exposed] { return next_of_stream(*exposed); };
    state->columns.assign(input.column_ids.begin(), input.column_ids.end());
  }
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> init_local(duckdb::ExecutionContext&,
                                                               duckdb::TableFunctionInitInput&,
                                                               duckdb::GlobalTableFunctionState* global) {
  auto state = duckdb::make_uniq<LocalState>();
  global->Cast<GlobalState>().take(*state);
  return state;
}

void next_rows(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& out) {
  auto& global = input.global_state->Cast<GlobalState>();
  auto& local = input.local_state->Cast<LocalState>();
  if (local.batch != nullptr && local.next == local.end) global.take(local);
  if (local.batch == nullptr) return;
  const int64_t rows = std::min<int64_t>(STANDARD_VECTOR_SIZE, local.end - local.next);
  for (size_t i = 0; i < global.columns.size(); ++i) {
    if (global.columns[i] >= local.batch->columns.size()) continue;  // requested only for the number of rows
    expose(*local.batch->columns[global.columns[i]], local.next, rows, out.data[i]);
  }
  local.next += rows;
  out.SetCardinality(static_cast<duckdb::idx_t>(rows));
}

duckdb::OperatorPartitionData partition(duckdb::ClientContext&,
                                        duckdb::TableFunctionGetPartitionInput& input) {
  return duckdb::OperatorPartitionData(input.local_state->Cast<LocalState>().part);
}

/// Replaces a name that the database does not know by a call of the function.
struct Names : duckdb::ReplacementScanData {
  explicit Names(std::shared_ptr<const ExposedRows> rows) : exposed(std::move(rows)) {}
  std::shared_ptr<const ExposedRows> exposed;
};

duckdb::unique_ptr<duckdb::TableRef> replace_name(duckdb::ClientContext&, duckdb::ReplacementScanInput& input,
                                                  duckdb::optional_ptr<duckdb::ReplacementScanData> data) {
  const std::string name = duckdb::StringUtil::Lower(input.table_name);
  const ExposedRows& exposed = *data->Cast<Names>().exposed;
  const bool qualified = !input.schema_name.empty() || !input.catalog_name.empty();
  const bool known = exposed.sources.contains(name);
  const bool arrow =
      exposed.open_arrow != nullptr &&
      std::ranges::any_of(kArrowExtensions, [&](const char* end) { return name.ends_with(end); });
  if (qualified || (!known && !arrow)) return nullptr;
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(
      duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(known ? name : input.table_name)));
  auto reference = duckdb::make_uniq<duckdb::TableFunctionRef>();
  reference->function =
      duckdb::make_uniq<duckdb::FunctionExpression>(known ? kName : kArrow, std::move(arguments));
  reference->alias = input.table_name;
  return reference;
}

duckdb::TableFunction function_of_rows(const duckdb::vector<duckdb::LogicalType>& arguments,
                                       std::shared_ptr<ExposedRows> exposed) {
  duckdb::TableFunction function(kName, arguments, next_rows, bind, init_global, init_local);
  function.projection_pushdown = true;
  function.get_partition_data = partition;
  function.function_info = duckdb::make_shared_ptr<Info>(std::move(exposed));
  return function;
}

}  // namespace

duckdb::unique_ptr<duckdb::LogicalGet> exposed_rows(duckdb::ClientContext& context,
                                                    std::shared_ptr<ExposedRows> exposed) {
  auto data = duckdb::make_uniq<BindData>();
  data->rows = exposed->rows;
  data->exposed = exposed;
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::vector<duckdb::string> names;
  name_columns(data->rows->schema, context, types, names);
  auto get = duckdb::make_uniq<duckdb::LogicalGet>(0, function_of_rows({}, std::move(exposed)),
                                                   std::move(data), std::move(types), std::move(names));
  for (size_t i = 0; i < get->names.size(); ++i) get->AddColumnId(i);
  return get;
}

void register_rows_function(duckdb::DatabaseInstance& instance, std::shared_ptr<ExposedRows> exposed) {
  duckdb::TableFunctionSet functions(kName);
  functions.AddFunction(function_of_rows({}, exposed));
  functions.AddFunction(function_of_rows({duckdb::LogicalType::VARCHAR}, exposed));
  duckdb::ExtensionLoader loader(instance, "lanewise");
  loader.RegisterFunction(std::move(functions));
  duckdb::TableFunction arrow(kArrow, {duckdb::LogicalType::VARCHAR}, next_rows, bind_arrow, init_global,
                              init_local);
  arrow.projection_pushdown = true;
  arrow.get_partition_data = partition;
  arrow.function_info = duckdb::make_shared_ptr<Info>(exposed);
  if (exposed->open_arrow) loader.RegisterFunction(std::move(arrow));
  duckdb::DBConfig::GetConfig(instance).replacement_scans.emplace_back(
      replace_name, duckdb::make_uniq<Names>(std::move(exposed)));
}

std::shared_ptr<const Source> exposed_source(const duckdb::LogicalGet& get) {
  const bool ours = get.function.name == kName || get.function.name == kArrow;
  return ours ? get.bind_data->Cast<BindData>().source : nullptr;
}

std::vector<std::string> exposed_files(const duckdb::LogicalGet& get) {
  return get.function.name == kArrow ? get.bind_data->Cast<BindData>().files : std::vector<std::string>();
}

}  // namespace lanewise::sql
