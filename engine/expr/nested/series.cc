#include "base/error.h"
#include "expr/nested/functions.h"
#include "expr/strings/reference.h"

namespace lanewise::expr {

namespace series {

namespace {

using Types = std::span<const Type>;
using Given = std::span<const Value>;

std::optional<Type> resolve_range(Types args) {
  if (args.empty() || args.size() > 3) return std::nullopt;
  for (const Type type : args) {
    if (type != TypeId::kInt64) return std::nullopt;
  }
  return Type::list(TypeId::kInt64);
}

/// Numbers from the first argument to the second (0 and the first where it is alone), by the third.
template <bool with_end>
Value range(const Expr& expr, Given args) {
  const int128_t start = args.size() == 1 ? 0 : args[0].integer();
  const int128_t end = args[args.size() == 1 ? 0 : 1].integer();
  const int128_t step = args.size() == 3 ? args[2].integer() : 1;
  std::string bytes;
  packed::Writer writer(bytes);
  const int128_t distance = step < 0 ? start - end : end - start, length = step < 0 ? -step : step;
  if (step != 0 && distance >= (with_end ? 0 : 1)) {
    const int128_t count = with_end ? distance / length + 1 : (distance + length - 1) / length;
    if (count > UINT32_MAX) throw UserError("Lists larger than 2^32 elements are not supported");
    for (int128_t i = 0; i < count; ++i) writer.number(static_cast<int64_t>(start + i * step));
  }
  writer.end();
  return {expr.type, std::move(bytes)};
}

std::optional<Type> resolve_split(Types args) {
  if (args.size() != 2 || args[0] != TypeId::kVarchar || args[1] != TypeId::kVarchar) return std::nullopt;
  return Type::list(TypeId::kVarchar);
}

/// Where the separator is empty: the characters. Where it is NULL: the string.
Value split(const Expr& expr, Given args) {
  if (args[0].is_null()) return Value(expr.type);
  std::string bytes;
  packed::Writer writer(bytes);
  const std::string& text = args[0].text();
  if (args[1].is_null()) {
    writer.text(text);
  } else if (args[1].text().empty()) {
    for (const std::string& character : characters_of(text)) writer.text(character);
    if (text.empty()) writer.text("");
  } else {
    const std::string& separator = args[1].text();
    size_t from = 0;
    for (size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
      writer.text(std::string_view(text).substr(from, at - from));
      from = at + separator.size();
    }
    writer.text(std::string_view(text).substr(from));
  }
  writer.end();
  return {expr.type, std::move(bytes)};
}

constexpr Function kSeriesFunctions[] = {
    {.name = "range",
     .raises = true,
     .resolve = resolve_range,
     .evaluate = evaluate_rows,
     .reference = range<false>,
     .documentation = "The numbers from a start (0) to before an end, by a step (1).",
     .example = "range(2, 8, 3)"},
    {.name = "generate_series",
     .raises = true,
     .resolve = resolve_range,
     .evaluate = evaluate_rows,
     .reference = range<true>,
     .documentation = "The numbers from a start (0) to an end, by a step (1).",
     .example = "generate_series(2, 8, 3)"},
    {.name = "string_split",
     .nulls = Function::Nulls::kOwn,
     .resolve = resolve_split,
     .evaluate = evaluate_rows,
     .reference = split,
     .documentation = "The pieces of the string between separators.",
     .example = "string_split('usr/bin/env', '/')"},
};

}  // namespace

}  // namespace series

std::span<const Function> series_functions() { return series::kSeriesFunctions; }

}  // namespace lanewise::expr
