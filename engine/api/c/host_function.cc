#include "api/c/host_function.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "api/c/arguments.h"
#include "base/error.h"
#include "data/arrow/arrow.h"

namespace lanewise::c {

namespace {

constexpr size_t kMessageBytes = 4096;

/// The rows as a struct array, which the callee releases.
void export_rows(const Schema& schema, const Batch& rows, ArrowSchema* types, ArrowArray* array) {
  ArrowArrayStream stream;
  arrow::export_stream({schema, {rows}}, &stream);
  const TakenStream released(&stream);
  if (stream.get_next(&stream, array) != 0) throw ops::HostFunctionError(stream.get_last_error(&stream));
  stream.get_schema(&stream, types);
}

}  // namespace

std::shared_ptr<const ops::HostFunction> host_function(const std::string& name, const ArrowSchema& signature,
                                                       bool strict, lw_function function, void* data) {
  Schema fields = arrow::import_schema(signature);
  if (fields.empty()) throw UserError(fmt::format("the function {} has no result type", name));
  auto host = std::make_shared<ops::HostFunction>();
  host->name = name;
  host->strict = strict;
  host->result = fields.back().type;
  fields.pop_back();
  for (const Field& field : fields) host->arguments.push_back(field.type);
  host->run = [name, fields = std::move(fields), function, data](const Batch& arguments) {
    ArrowSchema types{}, result_types{};
    ArrowArray rows{}, result{};
    export_rows(fields, arguments, &types, &rows);
    std::array<char, kMessageBytes> message{};
    const int failed = function(data, &types, &rows, &result_types, &result, message.data(), message.size());
    TakenArray taken(&result_types, &result);
    if (failed != 0)
      throw ops::HostFunctionError(fmt::format("the function {} failed: {}", name, message.data()));
    if (result.release == nullptr || result_types.release == nullptr)
      throw ops::HostFunctionError(fmt::format("the function {} gave no result", name));
    return taken.table().batches;
  };
  return host;
}

}  // namespace lanewise::c
