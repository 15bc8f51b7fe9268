#include <fmt/format.h>

#include <algorithm>

#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

// DuckDB rejects numbers beyond these.
constexpr int64_t kLargest = 0xFFFFFFFF;
constexpr int64_t kSmallest = -kLargest - 1;

void check_range(int64_t value, const char* what) {
  if (value >= kSmallest && value <= kLargest) return;
  throw UserError(fmt::format("substring: the {} {} is not in {} .. {}", what, value, kSmallest, kLargest));
}

/// Characters [begin, end), counted from 0.
std::string_view range(std::string_view text, int64_t begin, int64_t end) {
  const size_t from = skip_characters(text, static_cast<size_t>(begin));
  text.remove_prefix(from);
  return text.substr(0, skip_characters(text, static_cast<size_t>(end - begin)));
}

/// The same counted from the end: the last `begin` characters without the last `end`. Too large a begin means
/// the whole text, too large an end that nothing is left.
std::string_view range_from_end(std::string_view text, int64_t begin, int64_t end) {
  const size_t to = end <= 0 ? text.size() : skip_characters_back(text, static_cast<size_t>(end));
  if (to == std::string_view::npos) return {};
  text = text.substr(0, to);
  const size_t from = skip_characters_back(text, static_cast<size_t>(begin - std::max<int64_t>(end, 0)));
  return from == std::string_view::npos ? text : text.substr(from);
}

/// `length` characters from the 1-based `start` on; a negative start counts from the end, a negative length
/// stands for the characters before the start. Positions before the first character count, as in DuckDB:
/// ('abc', 0, 2) is 'a' and
/// ('abc', -5, 3) is 'a'.
std::string_view part(std::string_view text, int64_t start, int64_t length) {
  check_range(start, "start");
  check_range(length, "length");
  if (length == 0) return {};
  if (start < 0) {
    return length < 0 ? range_from_end(text, -start - length, -start)
                      : range_from_end(text, -start, -start - length);
  }
  const int64_t first = start - 1;
  const int64_t begin = std::max<int64_t>(0, length < 0 ? first + length : first);
  const int64_t end = length < 0 ? first : first + length;
  return end <= begin ? std::string_view() : range(text, begin, end);
}

Vector substring(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  const Integers starts(args[1], rows);
  if (args.size() == 2) {
    return map_rows(expr.type, rows, [&](uint32_t row) { return part(texts[row], starts[row], kLargest); });
  }
  const Integers lengths(args[2], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) { return part(texts[row], starts[row], lengths[row]); });
}

Value substring_reference(const Expr&, std::span<const Value> args) {
  const std::vector<std::string> text = characters_of(args[0].text());
  const int128_t start = args[1].integer();
  const int128_t length = args.size() == 2 ? int128_t{kLargest} : args[2].integer();
  check_range(static_cast<int64_t>(start), "start");
  check_range(static_cast<int64_t>(length), "length");
  // Position 0 is the first character; the one before it may be named, but is not there.
  const auto size = static_cast<int128_t>(text.size());
  const int128_t begin = start < 0 ? size + start : start - 1;
  return Value::varchar(length < 0 ? join(text, begin + length, begin) : join(text, begin, begin + length));
}

Vector character_at(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  const Integers positions(args[1], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) { return part(texts[row], positions[row], 1); });
}

Value character_at_reference(const Expr& expr, std::span<const Value> args) {
  const Value with_length[] = {args[0], args[1], Value::int64(1)};
  return substring_reference(expr, with_length);
}

Vector left(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  const Integers counts(args[1], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    if (counts[row] >= 0) return part(text, 1, counts[row]);
    const size_t end = skip_characters_back(text, -static_cast<uint64_t>(counts[row]));
    return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
  });
}

Value left_reference(const Expr&, std::span<const Value> args) {
  const std::vector<std::string> text = characters_of(args[0].text());
  const int128_t count = args[1].integer();
  if (count >= 0) check_range(static_cast<int64_t>(count), "length");
  return Value::varchar(join(text, 0, count >= 0 ? count : static_cast<int128_t>(text.size()) + count));
}

Vector right(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  const Integers counts(args[1], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    const int64_t count = counts[row];
    if (count < 0) return text.substr(skip_characters(text, -static_cast<uint64_t>(count)));
    const size_t begin = skip_characters_back(text, static_cast<size_t>(count));
    return begin == std::string_view::npos ? text : text.substr(begin);
  });
}

Value right_reference(const Expr&, std::span<const Value> args) {
  const std::vector<std::string> text = characters_of(args[0].text());
  const auto size = static_cast<int128_t>(text.size());
  const int128_t count = args[1].integer();
  return Value::varchar(join(text, count >= 0 ? size - count : -count, size));
}

constexpr Function kFrom{.name = "substring",
                         .raises = true,
                         .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
                         .evaluate = substring,
                         .reference = substring_reference,
                         .device = on_device<"substring", "strings/slices">,
                         .documentation = "The characters from a position on; the first is 1, the last -1.",
                         .example = "substring('straße', 5)"};
constexpr Function kFromLength{
    .name = "substring",
    .raises = true,
    .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64, TypeId::kInt64>,
    .evaluate = substring,
    .reference = substring_reference,
    .device = on_device<"substring", "strings/slices">,
    .documentation = "So many characters from a position on; the first is 1, the last -1.",
    .example = "substring('straße', 2, 3)"};
constexpr Function kCharacter{.name = "array_extract",
                              .raises = true,
                              .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
                              .evaluate = character_at,
                              .reference = character_at_reference,
                              .device = on_device<"character_at", "strings/slices">,
                              .documentation = "The character at a position; the first is 1, the last -1.",
                              .example = "array_extract('straße', 5)"};
constexpr Function kSubstringFunctions[] = {
    kFrom,
    alias("substr", kFrom),
    kFromLength,
    alias("substr", kFromLength),
    kCharacter,
    alias("list_extract", kCharacter),
    {.name = "left",
     .raises = true,
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
     .evaluate = left,
     .reference = left_reference,
     .device = on_device<"left", "strings/slices">,
     .documentation = "The first characters; a negative number says how many to leave out at the end.",
     .example = "left('straße', -2)"},
    {.name = "right",
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
     .evaluate = right,
     .reference = right_reference,
     .device = on_device<"right", "strings/slices">,
     .documentation = "The last characters; a negative number says how many to leave out at the beginning.",
     .example = "right('straße', 2)"},
};

}  // namespace

std::span<const Function> substring_functions() { return kSubstringFunctions; }

}  // namespace lanewise::expr
