#include "api/c/error.h"
#include "api/c/lanewise.h"
#include "base/error.h"
#include "data/arrow.h"
#include "expr/function.h"

namespace {

lanewise::Table function_table() {
  std::vector<lanewise::Value> names, documentations, examples;
  for (const lanewise::Function& function : lanewise::functions()) {
    names.push_back(lanewise::Value::varchar(std::string(function.name)));
    documentations.push_back(lanewise::Value::varchar(std::string(function.documentation)));
    examples.push_back(lanewise::Value::varchar(std::string(function.example)));
  }
  const lanewise::Type text = lanewise::TypeId::kVarchar;
  lanewise::Batch batch;
  batch.rows = static_cast<int64_t>(names.size());
  for (const auto* values : {&names, &documentations, &examples})
    batch.columns.push_back(lanewise::make_column(text, *values));
  return {{{"name", text}, {"documentation", text}, {"example", text}}, {std::move(batch)}};
}

}  // namespace

lw_code lw_functions(ArrowArrayStream* out, lw_error* error) {
  return lanewise::c::guarded(error, [&] {
    if (out == nullptr) throw lanewise::UserError("the argument 'out' is NULL");
    lanewise::arrow::export_stream(function_table(), out);
  });
}
