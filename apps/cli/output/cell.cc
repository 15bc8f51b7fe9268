#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "data/format.h"
#include "output/result_writer.h"

namespace lanewise::cli {

void append_cell(const Column& column, int64_t row, std::string_view null, std::string& out) {
  if (column.is_null(row)) {
    out += null;
    return;
  }
  // The two most frequent types without a Value.
  if (column.type.id == TypeId::kVarchar) {
    out += column.text(row);
  } else if (column.type.id == TypeId::kInt64 && !column.dictionary) {
    format::integer(column.values.as<int64_t>()[row], out);
  } else if (column.type.is_float() && std::isnan(column.value(row).real())) {
    out += "nan";  // the sign of NaN has no meaning
  } else {
    out += column.value(row).to_string();
  }
}

std::string with_commas(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace lanewise::cli
