#include "pram/tree/value.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lanewise::pram {

std::string_view name(Type type) {
  switch (type) {
    case Type::kBool:
      return "bool";
    case Type::kInt32:
      return "int32";
    case Type::kInt:
      return "int";
    case Type::kReal:
      return "real";
  }
  throw InternalError("a type without a name");
}

std::string to_text(Type type, Word word) {
  if (type == Type::kBool) return word != 0 ? "true" : "false";
  if (type == Type::kReal) return fmt::format("{}", real_of(word));
  return fmt::format("{}", word);
}

Array scalar(int64_t value) { return {Type::kInt, {}, {value}}; }

Array ints(std::vector<int64_t> values) {
  const auto cells = static_cast<int64_t>(values.size());
  return {Type::kInt, {cells}, std::move(values)};
}

Array reals(const std::vector<double>& values) {
  Array result{Type::kReal, {static_cast<int64_t>(values.size())}, {}};
  for (const double value : values) result.words.push_back(word_of(value));
  return result;
}

Array matrix(std::vector<int64_t> values, int64_t columns) {
  invariant(columns > 0 && static_cast<int64_t>(values.size()) % columns == 0, "a matrix has whole rows");
  return {Type::kInt, {static_cast<int64_t>(values.size()) / columns, columns}, std::move(values)};
}

}  // namespace lanewise::pram
