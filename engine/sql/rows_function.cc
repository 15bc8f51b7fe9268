#include "sql/rows_function.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/bits.h"
#include "sql/duckdb_headers.h"
#include "sql/types.h"

namespace lanewise::sql {

namespace {

/// Rows that one thread takes at a time: a row group of Parquet. A multiple of 64, so that bitmaps start on
/// words.
constexpr int64_t kPartRows = 122'880;

struct Part {
  const Batch* batch;
  int64_t first;
  int64_t rows;
};

struct Info : duckdb::TableFunctionInfo {
  explicit Info(std::shared_ptr<const ExposedTable> table) : exposed(std::move(table)) {}
  std::shared_ptr<const ExposedTable> exposed;
};

struct BindData : duckdb::TableFunctionData {
  explicit BindData(const Table& exposed) : table(exposed) {}
  const Table& table;
};

struct GlobalState : duckdb::GlobalTableFunctionState {
  std::vector<Part> parts;
  std::vector<duckdb::column_t> columns;
  std::atomic<size_t> next{0};
  duckdb::idx_t MaxThreads() const override { return std::max<size_t>(1, parts.size()); }
};

struct LocalState : duckdb::LocalTableFunctionState {
  size_t part = 0;
  int64_t done = 0;  // of its rows
};

duckdb::unique_ptr<duckdb::FunctionData> bind(duckdb::ClientContext&, duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& types,
                                              duckdb::vector<duckdb::string>& names) {
  const auto* table = input.info->Cast<Info>().exposed->table;
  if (table == nullptr) throw duckdb::BinderException("lanewise_rows() is for statements of Lanewise itself");
  for (const Field& field : table->schema) {
    types.push_back(to_duckdb(field.type));
    names.push_back(field.name);
  }
  duckdb::QueryResult::DeduplicateColumns(names);
  return duckdb::make_uniq<BindData>(*table);
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> init_global(duckdb::ClientContext&,
                                                                 duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<GlobalState>();
  for (const Batch& batch : input.bind_data->Cast<BindData>().table.batches) {
    for (int64_t first = 0; first < batch.rows; first += kPartRows) {
      state->parts.push_back({&batch, first, std::min(kPartRows, batch.rows - first)});
    }
  }
  state->columns.assign(input.column_ids.begin(), input.column_ids.end());
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> init_local(duckdb::ExecutionContext&,
                                                               duckdb::TableFunctionInitInput&,
                                                               duckdb::GlobalTableFunctionState* global) {
  auto state = duckdb::make_uniq<LocalState>();
  state->part = global->Cast<GlobalState>().next++;
  return state;
}

template <class T>
void narrow(const Column& column, int64_t first, int64_t rows, duckdb::Vector& vector) {
  T* to = duckdb::FlatVector::GetData<T>(vector);
  const int64_t* from = column.values.as<int64_t>() + first;
  for (int64_t i = 0; i < rows; ++i) to[i] = static_cast<T>(from[i]);
}

/// Rows of a column as a vector: values by reference, text by reference.
void expose(const Column& column, int64_t first, int64_t rows, duckdb::Vector& vector) {
  using duckdb::PhysicalType;
  const PhysicalType physical = vector.GetType().InternalType();
  if (column.type.is_string()) {
    auto* to = duckdb::FlatVector::GetData<duckdb::string_t>(vector);
    for (int64_t i = 0; i < rows; ++i) {
      const std::string_view text = column.is_null(first + i) ? std::string_view() : column.text(first + i);
      to[i] = duckdb::string_t(text.data(), static_cast<uint32_t>(text.size()));
    }
  } else if (column.type.id == TypeId::kNull) {
    duckdb::FlatVector::Validity(vector).SetAllInvalid(static_cast<duckdb::idx_t>(rows));
    return;
  } else if (column.type.id == TypeId::kDecimal && physical == PhysicalType::INT16) {
    narrow<int16_t>(column, first, rows, vector);
  } else if (column.type.id == TypeId::kDecimal && physical == PhysicalType::INT32) {
    narrow<int32_t>(column, first, rows, vector);
  } else {
    const size_t size = width(column.type.physical());
    std::memcpy(duckdb::FlatVector::GetData(vector), column.values.data() + static_cast<size_t>(first) * size,
                static_cast<size_t>(rows) * size);
  }
  if (!column.validity) return;
  auto& mask = duckdb::FlatVector::Validity(vector);
  mask.Initialize(STANDARD_VECTOR_SIZE);
  bits::copy(column.validity.as<uint64_t>(), static_cast<size_t>(first), static_cast<size_t>(rows),
             reinterpret_cast<uint64_t*>(mask.GetData()));
}

void next_rows(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& out) {
  auto& global = input.global_state->Cast<GlobalState>();
  auto& local = input.local_state->Cast<LocalState>();
  if (local.part < global.parts.size() && local.done == global.parts[local.part].rows) {
    local.part = global.next++;
    local.done = 0;
  }
  if (local.part >= global.parts.size()) return;
  const Part& part = global.parts[local.part];
  const int64_t rows = std::min<int64_t>(STANDARD_VECTOR_SIZE, part.rows - local.done);
  for (size_t i = 0; i < global.columns.size(); ++i) {
    if (global.columns[i] >= part.batch->columns.size()) continue;  // wanted for the number of rows alone
    expose(*part.batch->columns[global.columns[i]], part.first + local.done, rows, out.data[i]);
  }
  local.done += rows;
  out.SetCardinality(static_cast<duckdb::idx_t>(rows));
}

duckdb::OperatorPartitionData partition(duckdb::ClientContext&,
                                        duckdb::TableFunctionGetPartitionInput& input) {
  return duckdb::OperatorPartitionData(input.local_state->Cast<LocalState>().part);
}

}  // namespace

void register_rows_function(duckdb::DatabaseInstance& instance, std::shared_ptr<const ExposedTable> exposed) {
  duckdb::TableFunction function("lanewise_rows", {}, next_rows, bind, init_global, init_local);
  function.projection_pushdown = true;
  function.get_partition_data = partition;
  function.function_info = duckdb::make_shared_ptr<Info>(std::move(exposed));
  duckdb::ExtensionLoader loader(instance, "lanewise");
  loader.RegisterFunction(std::move(function));
}

}  // namespace lanewise::sql
