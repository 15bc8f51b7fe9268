#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>

#include "expr/signature.h"
#include "expr/strings/functions.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"
#include "expr/vectors/loops.h"
#include "text/unicode/utf8.h"

namespace lanewise::expr {

namespace {

using text::unicode::decode;

constexpr std::string_view kDigits = "0123456789ABCDEF";

Vector encode(const Expr& expr, std::span<const Vector> args, const ActiveSet&, EvalContext&) {
  Vector result = args[0];
  result.type = expr.type;
  return result;
}

Value encode_reference(const Expr& expr, std::span<const Value> args) { return {expr.type, args[0].text()}; }

/// How many bytes of `blob` are well-formed UTF-8, from its beginning.
size_t valid_bytes(std::string_view blob) {
  size_t at = 0;
  while (at < blob.size()) {
    const int bytes = decode(blob.substr(at)).bytes;
    if (bytes == 0) return at;
    at += static_cast<size_t>(bytes);
  }
  return at;
}

std::string_view decoded(std::string_view blob) {
  const size_t valid = valid_bytes(blob);
  if (valid == blob.size()) return blob;
  throw UserError(fmt::format("decode: byte {} of the blob, 0x{:02X}, does not belong to UTF-8 text",
                              valid + 1, static_cast<unsigned char>(blob[valid])));
}

Vector decode_blob(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts blobs(args[0], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) { return decoded(blobs[row]); });
}

Value decode_reference(const Expr&, std::span<const Value> args) {
  return Value::varchar(std::string(decoded(args[0].text())));
}

Vector hex_digits(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                  EvalContext& context) {
  const Texts texts(args[0], rows);
  TextWriter writer("hex", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    char* to = writer.reserve(text.size() * 2);
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      *to++ = kDigits[byte >> 4];
      *to++ = kDigits[byte & 15];
    }
    return writer.take(text.size() * 2);
  });
}

Value hex_reference(const Expr&, std::span<const Value> args) {
  std::string result;
  for (const char c : args[0].text()) result += fmt::format("{:02X}", static_cast<unsigned char>(c));
  return Value::varchar(result);
}

/// The bits of a number without leading zeros; negative ones have all bits of their type.
template <class T>
std::string_view hex_number(const Site& site, T value) {
  using Bits = std::conditional_t<sizeof(T) == 16, uint128_t, uint64_t>;
  char text[sizeof(T) * 2];
  char* begin = std::end(text);
  auto bits = static_cast<Bits>(value);
  do {
    *--begin = kDigits[static_cast<size_t>(bits & 15)];
    bits >>= 4;
  } while (bits != 0);
  return site.arena.copy(std::string_view(begin, std::end(text)));
}

template <class T>
Value hex_number_reference(const Expr&, std::span<const Value> args) {
  const auto bits = static_cast<uint128_t>(from_value<T>(args[0]));
  std::string result;
  for (size_t digit = sizeof(T) * 2; digit-- > 0;) {
    const auto value = static_cast<size_t>((bits >> (digit * 4)) & 15);
    if (value != 0 || !result.empty() || digit == 0) result += kDigits[value];
  }
  return Value::varchar(result);
}

template <TypeId type, class T>
constexpr Function kHexNumber{.name = "hex",
                              .resolve = takes_exactly<TypeId::kVarchar, type>,
                              .evaluate = evaluate_each<&hex_number<T>>,
                              .reference = hex_number_reference<T>,
                              .device = on_device<"hex_of_number", "strings/texts", false, true>,
                              .documentation = "The bits of a whole number as hexadecimal digits.",
                              .example = "hex(255)"};

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  throw UserError(fmt::format("unhex: '{}' is not a hexadecimal digit", c));
}

/// An odd first digit is a byte of its own.
Vector unhex(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Texts texts(args[0], rows);
  TextWriter writer("unhex", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    const size_t odd = text.size() % 2;
    const size_t bytes = text.size() / 2 + odd;
    char* to = writer.reserve(bytes);
    if (odd != 0) *to++ = static_cast<char>(digit(text[0]));
    for (size_t at = odd; at < text.size(); at += 2)
      *to++ = static_cast<char>(digit(text[at]) << 4 | digit(text[at + 1]));
    return writer.take(bytes);
  });
}

Value unhex_reference(const Expr& expr, std::span<const Value> args) {
  const std::string& text = args[0].text();
  for (const char c : text) digit(c);
  std::string digits(text.size() % 2, '0');
  digits += text;
  std::string result;
  for (size_t at = 0; at < digits.size(); at += 2) {
    result += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  }
  return {expr.type, result};
}

constexpr Function kHex{.name = "hex",
                        .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
                        .evaluate = hex_digits,
                        .reference = hex_reference,
                        .device = on_device<"hex_of_text", "strings/texts", false, true>,
                        .documentation = "The bytes of a string as hexadecimal digits.",
                        .example = "hex('naïve')"};
constexpr Function kHexBlob{.name = "hex",
                            .resolve = takes<TypeId::kVarchar, TypeId::kBlob>,
                            .evaluate = hex_digits,
                            .reference = hex_reference,
                            .device = on_device<"hex_of_text", "strings/texts", false, true>,
                            .documentation = "The bytes of a blob as hexadecimal digits.",
                            .example = "hex('\\xAA\\xBB'::BLOB)"};
constexpr Function kUnhex{.name = "unhex",
                          .raises = true,
                          .resolve = takes<TypeId::kBlob, TypeId::kVarchar>,
                          .evaluate = unhex,
                          .reference = unhex_reference,
                          .device = on_device<"unhex", "strings/texts", false, true>,
                          .documentation = "The blob whose bytes the hexadecimal digits spell.",
                          .example = "unhex('C3A4')"};
constexpr Function kEncodeFunctions[] = {
    {.name = "encode",
     .resolve = takes<TypeId::kBlob, TypeId::kVarchar>,
     .evaluate = encode,
     .reference = encode_reference,
     .device = on_device<"same">,
     .documentation = "The bytes of a string.",
     .example = "encode('ä')"},
    {.name = "decode",
     .raises = true,
     .resolve = takes<TypeId::kVarchar, TypeId::kBlob>,
     .evaluate = decode_blob,
     .reference = decode_reference,
     .device = on_device<"decoded", "strings/slices">,
     .documentation = "The string of these bytes, which must be UTF-8.",
     .example = "decode('\\xC3\\xA4'::BLOB)"},
    kHex,
    alias("to_hex", kHex),
    kHexBlob,
    alias("to_hex", kHexBlob),
    kHexNumber<TypeId::kInt64, int64_t>,
    kHexNumber<TypeId::kInt128, int128_t>,
    kHexNumber<TypeId::kUInt64, uint64_t>,
    kHexNumber<TypeId::kUInt128, uint128_t>,
    alias("to_hex", kHexNumber<TypeId::kInt64, int64_t>),
    alias("to_hex", kHexNumber<TypeId::kInt128, int128_t>),
    alias("to_hex", kHexNumber<TypeId::kUInt64, uint64_t>),
    alias("to_hex", kHexNumber<TypeId::kUInt128, uint128_t>),
    kUnhex,
    alias("from_hex", kUnhex),
};

}  // namespace

std::span<const Function> encode_functions() { return kEncodeFunctions; }

}  // namespace lanewise::expr
