#include <fmt/format.h>

#include "expr/gpu/strings/slices-inl.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

// DuckDB rejects numbers beyond these.
constexpr int64_t kLargest = 0xFFFFFFFF;
constexpr int64_t kSmallest = -kLargest - 1;

void check_range(int64_t value, const char* what) {
  if (value >= kSmallest && value <= kLargest) return;
  throw UserError(fmt::format("substring: the {} {} is not in {} .. {}", what, value, kSmallest, kLargest));
}

/// f(outcome, text, number) of each row; what it fails for is out of range.
template <auto f>
Vector parts(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, const char* what) {
  const Texts texts(args[0], rows);
  const Integers numbers(args[1], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    kernel::Outcome outcome;
    const kernel::Text part = f(outcome, kernel_text(texts[row]), numbers[row]);
    if (outcome.failed) check_range(numbers[row], what);
    return view(part);
  });
}

kernel::Text from_start(kernel::Outcome& outcome, kernel::Text text, int64_t start) {
  return kernel::substring(outcome, text, start);
}
Vector substring(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  if (args.size() == 2) return parts<from_start>(expr, args, rows, "start");
  const Texts texts(args[0], rows);
  const Integers starts(args[1], rows);
  const Integers lengths(args[2], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    kernel::Outcome outcome;
    const kernel::Text part = kernel::substring(outcome, kernel_text(texts[row]), starts[row], lengths[row]);
    if (outcome.failed) {
      check_range(starts[row], "start");
      check_range(lengths[row], "length");
    }
    return view(part);
  });
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
  return parts<kernel::character_at>(expr, args, rows, "start");
}

Value character_at_reference(const Expr& expr, std::span<const Value> args) {
  const Value with_length[] = {args[0], args[1], Value::int64(1)};
  return substring_reference(expr, with_length);
}

Vector left(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  return parts<kernel::left>(expr, args, rows, "length");
}

Value left_reference(const Expr&, std::span<const Value> args) {
  const std::vector<std::string> text = characters_of(args[0].text());
  const int128_t count = args[1].integer();
  if (count >= 0) check_range(static_cast<int64_t>(count), "length");
  return Value::varchar(join(text, 0, count >= 0 ? count : static_cast<int128_t>(text.size()) + count));
}

Vector right(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  return parts<kernel::right>(expr, args, rows, "length");
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
