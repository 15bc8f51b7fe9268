#include "sql/functions/duckdb_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/functions/duckdb_calls.h"
#include "sql/scan/gather.h"
#include "sql/values/types.h"
#include "sql/values/vectors.h"

namespace lanewise::sql {

namespace {

using duckdb::idx_t;

/// A table function that reads rows, for several threads at once.
struct RowsFunction {
  duckdb::shared_ptr<duckdb::ClientContext> context;
  duckdb::TableFunction function;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  duckdb::vector<duckdb::column_t> columns;
  duckdb::vector<duckdb::LogicalType> arguments, results;
  duckdb::LogicalType list;
  Type type;  // ours for that
};

/// Calls the function for one row after another.
class RowsCall {
 public:
  explicit RowsCall(const RowsFunction& made)
      : made_(made), thread_(*made.context), execution_(*made.context, thread_, nullptr) {
    duckdb::TableFunctionInitInput input(made.bind_data.get(), made.columns, {}, nullptr);
    if (made.function.init_global) global_ = made.function.init_global(*made.context, input);
    if (made.function.init_local) local_ = made.function.init_local(execution_, input, global_.get());
    argument_.Initialize(*made.context, made.arguments);
    rows_.Initialize(*made.context, made.results);
  }

  /// Appends the row's list to `lists`, as its element `to`.
  void append(const Batch& arguments, int64_t row, duckdb::Vector& lists, idx_t to) {
    argument_.Reset();
    for (size_t i = 0; i < arguments.columns.size(); ++i) {
      duckdb::Vector value = exposed(*arguments.columns[i], row, 1, made_.arguments[i], *made_.context);
      duckdb::ConstantVector::Reference(argument_.data[i], value, 0, 1);  // results may refer to it
    }
    argument_.SetCardinality(1);
    duckdb::TableFunctionInput input(made_.bind_data.get(), local_.get(), global_.get());
    const idx_t first = duckdb::ListVector::GetListSize(lists);
    auto result = duckdb::OperatorResultType::HAVE_MORE_OUTPUT;
    while (result == duckdb::OperatorResultType::HAVE_MORE_OUTPUT) {
      rows_.Reset();
      result = made_.function.in_out_function(execution_, input, argument_, rows_);
      duckdb::Vector structs(duckdb::ListType::GetChildType(made_.list), std::max<idx_t>(rows_.size(), 1));
      auto& fields = duckdb::StructVector::GetEntries(structs);
      for (size_t i = 0; i < fields.size(); ++i) fields[i]->Reference(rows_.data[i]);
      duckdb::ListVector::Append(lists, structs, rows_.size());
    }
    duckdb::FlatVector::GetData<duckdb::list_entry_t>(lists)[to] = {
        first, duckdb::ListVector::GetListSize(lists) - first};
  }

 private:
  const RowsFunction& made_;
  duckdb::ThreadContext thread_;
  duckdb::ExecutionContext execution_;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> local_;
  duckdb::DataChunk argument_, rows_;
};

std::vector<Batch> lists_of(const RowsFunction& made, const Batch& arguments) {
  RowsCall call(made);
  ColumnGather gather(made.list, made.type, arguments.rows, nullptr);
  for (int64_t first = 0; first < arguments.rows; first += STANDARD_VECTOR_SIZE) {
    const int64_t rows = std::min<int64_t>(STANDARD_VECTOR_SIZE, arguments.rows - first);
    duckdb::Vector lists(made.list);
    for (int64_t i = 0; i < rows; ++i) call.append(arguments, first + i, lists, static_cast<idx_t>(i));
    gather.append(lists, rows);
  }
  return {Batch{arguments.rows, {gather.finish()}}};
}

}  // namespace

ExprPtr rows_of_duckdb(duckdb::ClientContext& context, duckdb::LogicalGet& op,
                       const duckdb::vector<duckdb::column_t>& columns,
                       const duckdb::vector<duckdb::LogicalType>& types, std::vector<ExprPtr> args) {
  const auto made = std::make_shared<RowsFunction>();
  made->context = context.shared_from_this();
  made->function = op.function;
  made->bind_data = std::move(op.bind_data);
  made->arguments = types;
  duckdb::child_list_t<duckdb::LogicalType> fields;
  for (const duckdb::column_t column : columns) {
    made->columns.push_back(column);
    made->results.push_back(op.GetColumnType(duckdb::ColumnIndex(column)));
    fields.emplace_back(fmt::format("c{}", fields.size()), made->results.back());
  }
  made->list = duckdb::LogicalType::LIST(duckdb::LogicalType::STRUCT(std::move(fields)));
  made->type = type_of(made->list, "the result of " + op.function.name);

  return call_of_duckdb(op.function.name, made->type, std::move(args), false,
                        [made](const Batch& arguments) { return lists_of(*made, arguments); });
}

}  // namespace lanewise::sql
