#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/graphemes.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

/// Lengths in bytes of flat text: the differences of its offsets.
template <class Offset>
Vector offset_differences(const Vector& text, const ActiveSet& rows) {
  const auto* offsets = text.as<Offset>();
  int64_t* lengths;
  const Vector result = new_vector<int64_t>(TypeId::kInt64, rows.rows(), rows.arena(), lengths);
  for (uint32_t row = 0; row < rows.rows(); ++row) {
    lengths[row] = static_cast<int64_t>(offsets[row + 1] - offsets[row]);
  }
  return result;
}

/// count(text) for each row.
template <class F>
Vector lengths(std::span<const Vector> args, const ActiveSet& rows, F count) {
  const Texts texts(args[0], rows);
  return map_rows(TypeId::kInt64, rows,
                  [&](uint32_t row) { return static_cast<int64_t>(count(texts[row])); });
}

Vector byte_length(const Expr&, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Vector& text = args[0];
  if (text.form != Vector::Form::kText || text.constant) {
    return lengths(args, rows, [](std::string_view view) { return view.size(); });
  }
  return text.wide_offsets ? offset_differences<uint64_t>(text, rows)
                           : offset_differences<uint32_t>(text, rows);
}

Value byte_length_reference(const Expr&, std::span<const Value> args) {
  return Value::int64(static_cast<int64_t>(args[0].text().size()));
}

Vector bit_length(const Expr&, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  return lengths(args, rows, [](std::string_view text) { return text.size() * 8; });
}

Value bit_length_reference(const Expr&, std::span<const Value> args) {
  return Value::int64(static_cast<int64_t>(args[0].text().size()) * 8);
}

Vector length(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Vector& text = args[0];
  if (text.form == Vector::Form::kText && !text.constant && rows.all() && rows.rows() > 0) {
    const uint64_t first = text.offset(0);
    const auto* bytes = reinterpret_cast<const char*>(text.bytes) + first;
    if (is_ascii({bytes, text.offset(rows.rows()) - first})) return byte_length(expr, args, rows, context);
  }
  return lengths(args, rows, count_characters);
}

Value length_reference(const Expr&, std::span<const Value> args) {
  return Value::int64(static_cast<int64_t>(characters_of(args[0].text()).size()));
}

Vector length_grapheme(const Expr&, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  return lengths(args, rows, [](std::string_view text) {
    if (is_ascii(text)) return text.size();
    size_t count = 0;
    for (size_t at = 0; at < text.size(); at = next_grapheme(text, at)) ++count;
    return count;
  });
}

Value length_grapheme_reference(const Expr&, std::span<const Value> args) {
  const std::string& text = args[0].text();
  return Value::int64(static_cast<int64_t>(is_ascii(text) ? text.size() : graphemes_of(text).size()));
}

constexpr Function kLength{.name = "length",
                           .resolve = takes<TypeId::kInt64, TypeId::kVarchar>,
                           .evaluate = length,
                           .reference = length_reference,
                           .device = on_device<"length">,
                           .documentation = "The number of characters (code points).",
                           .example = "length('häuser')"};

constexpr Function kLengthFunctions[] = {
    kLength,
    alias("len", kLength),
    alias("char_length", kLength),
    alias("character_length", kLength),
    {.name = "length_grapheme",
     .resolve = takes<TypeId::kInt64, TypeId::kVarchar>,
     .evaluate = length_grapheme,
     .reference = length_grapheme_reference,
     .device = on_device<"length_grapheme", "strings/graphemes">,
     .documentation = "The number of characters as people count them: a letter and its accents are one.",
     .example = "length_grapheme('🤦🏼‍♂️🦆')"},
    {.name = "strlen",
     .resolve = takes<TypeId::kInt64, TypeId::kVarchar>,
     .evaluate = byte_length,
     .reference = byte_length_reference,
     .device = on_device<"byte_length">,
     .documentation = "The number of bytes of a string.",
     .example = "strlen('häuser')"},
    {.name = "octet_length",
     .resolve = takes<TypeId::kInt64, TypeId::kBlob>,
     .evaluate = byte_length,
     .reference = byte_length_reference,
     .device = on_device<"byte_length">,
     .documentation = "The number of bytes of a blob.",
     .example = "octet_length('\\xAA\\xBB'::BLOB)"},
    {.name = "bit_length",
     .resolve = takes<TypeId::kInt64, TypeId::kVarchar>,
     .evaluate = bit_length,
     .reference = bit_length_reference,
     .device = on_device<"bit_length", "strings/slices">,
     .documentation = "The number of bits of a string's bytes.",
     .example = "bit_length('abc')"},
};

}  // namespace

std::span<const Function> length_functions() { return kLengthFunctions; }

}  // namespace lanewise::expr
