#include "expr/functions/functions.h"
#include "api/c/arguments.h"
#include "api/c/error.h"
#include "api/c/lanewise.h"
#include "api/c/rows.h"
#include "expr/function.h"

lw_code lw_functions(ArrowArrayStream* out, lw_error* error) {
  return lanewise::c::guarded(error, [&] {
    lanewise::c::need(out, "out");
    std::vector<std::vector<lanewise::Value>> columns(3);
    for (const lanewise::Function& function : lanewise::functions()) {
      size_t column = 0;
      for (const auto& text : {function.name, function.documentation, function.example})
        columns[column++].push_back(lanewise::Value::varchar(std::string(text)));
    }
    const lanewise::Type text = lanewise::TypeId::kVarchar;
    lanewise::c::export_rows({{"name", text}, {"documentation", text}, {"example", text}}, columns, out);
  });
}
