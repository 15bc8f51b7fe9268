#include "expr/strings/case.h"

#include <cstring>

#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"
#include "text/unicode/case.h"

namespace lanewise::expr {

namespace {

using text::unicode::decode;
using text::unicode::encode;

enum class Case { kLower, kUpper };

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighBits = kOnes << 7;

/// Eight bytes with their ASCII letters in the wanted case; bytes above 0x7F stay as they are.
template <Case kCase>
uint64_t convert_word(uint64_t word) {
  constexpr uint64_t kFirst = kCase == Case::kLower ? 'A' : 'a';
  // The top bit of each byte of `letters` says whether it lies in [first, first + 26).
  const uint64_t low = word & 0x7F * kOnes;
  const uint64_t letters =
      (low + (0x80 - kFirst) * kOnes) & ~(low + (0x80 - kFirst - 26) * kOnes) & ~word & kHighBits;
  return word ^ letters >> 2;
}

/// Converts ASCII bytes and leaves all others alone.
template <Case kCase>
void convert_ascii(const char* from, size_t size, char* to) {
  size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t word;
    std::memcpy(&word, from + at, 8);
    word = convert_word<kCase>(word);
    std::memcpy(to + at, &word, 8);
  }
  if (at == size) return;
  uint64_t word = 0;
  std::memcpy(&word, from + at, size - at);
  word = convert_word<kCase>(word);
  std::memcpy(to + at, &word, size - at);
}

/// As DuckDB does it: upper() knows the capital ß, which Unicode's mapping does not lead to.
template <Case kCase>
char32_t convert_by_tables(char32_t c) {
  if (kCase == Case::kLower) return text::unicode::to_lower(c);
  return c == U'ß' ? U'ẞ' : text::unicode::to_upper(c);
}

/// The letter in the other case. Below kDirect, which covers Latin, Greek, Cyrillic and Armenian, it is
/// looked up in an array.
template <Case kCase>
char32_t convert_letter(char32_t c) {
  constexpr char32_t kDirect = 0x600;
  struct Table {
    char32_t letters[kDirect];
    Table() {
      for (char32_t i = 0; i < kDirect; ++i) letters[i] = convert_by_tables<kCase>(i);
    }
  };
  static const Table table;
  return c < kDirect ? table.letters[c] : convert_by_tables<kCase>(c);
}

/// No letter grows by more: two bytes become three.
constexpr size_t converted_bound(size_t bytes) { return bytes + bytes / 2 + 8; }

/// Converts to `to`, which has room for converted_bound(text.size()) bytes; returns the bytes written.
template <Case kCase>
size_t convert(std::string_view text, char* to) {
  char* next = to;
  for (size_t at = 0; at < text.size();) {
    uint64_t word = kHighBits;
    if (at + 8 <= text.size()) std::memcpy(&word, text.data() + at, 8);
    if ((word & kHighBits) == 0) {
      word = convert_word<kCase>(word);
      std::memcpy(next, &word, 8);
      next += 8;
      at += 8;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      *next++ = static_cast<char>(convert_word<kCase>(byte));
      ++at;
      continue;
    }
    const auto [letter, bytes] = decode(text.substr(at));
    if (bytes == 0) {
      *next++ = text[at++];  // malformed: kept
    } else {
      next += encode(convert_letter<kCase>(letter), next);
      at += static_cast<size_t>(bytes);
    }
  }
  return static_cast<size_t>(next - to);
}

/// Flat text stays flat: what matches on the result needs no copy of it.
template <Case kCase>
Vector convert_flat(const Expr& expr, const Vector& text, const ActiveSet& rows, std::string_view bytes) {
  Arena& arena = rows.arena();
  Vector result = text;
  result.type = expr.type;
  result.validity = nullptr;
  auto* offsets = arena.allocate<uint64_t>(rows.rows() + 1);
  if (is_ascii(bytes)) {
    auto* to = arena.allocate<char>(bytes.size());
    convert_ascii<kCase>(bytes.data(), bytes.size(), to);
    const uint64_t first = text.offset(0);
    for (uint32_t row = 0; row <= rows.rows(); ++row) offsets[row] = text.offset(row) - first;
    result.bytes = reinterpret_cast<const uint8_t*>(to);
  } else {
    auto* to = arena.allocate<char>(converted_bound(bytes.size()) + rows.rows() * 8);
    uint64_t next = 0;
    for (uint32_t row = 0; row < rows.rows(); ++row) {
      offsets[row] = next;
      next += convert<kCase>(text.text(row), to + next);
    }
    offsets[rows.rows()] = next;
    result.bytes = reinterpret_cast<const uint8_t*>(to);
  }
  result.values = offsets;
  result.wide_offsets = true;
  return result;
}

template <Case kCase>
Vector convert_case(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                    EvalContext& context) {
  const Vector& text = args[0];
  if (text.form == Vector::Form::kText && !text.constant && rows.all() && rows.rows() > 0) {
    const uint64_t first = text.offset(0);
    const auto* bytes = reinterpret_cast<const char*>(text.bytes) + first;
    return convert_flat<kCase>(expr, text, rows, {bytes, text.offset(rows.rows()) - first});
  }
  const Texts texts(text, rows);
  TextWriter writer(kCase == Case::kLower ? "lower" : "upper", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view from = texts[row];
    if (is_ascii(from)) {
      convert_ascii<kCase>(from.data(), from.size(), writer.reserve(from.size()));
      return writer.take(from.size());
    }
    return writer.take(convert<kCase>(from, writer.reserve(converted_bound(from.size()))));
  });
}

template <Case kCase>
std::string convert_by_letter(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const auto [letter, bytes] = decode(text.substr(at));
    if (bytes == 0) {
      result += text[at++];
    } else {
      result += encode(convert_by_tables<kCase>(letter));
      at += static_cast<size_t>(bytes);
    }
  }
  return result;
}

template <Case kCase>
Value convert_case_reference(const Expr&, std::span<const Value> args) {
  return Value::varchar(convert_by_letter<kCase>(args[0].text()));
}

constexpr Function kLower{
    .name = "lower",
    .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
    .evaluate = convert_case<Case::kLower>,
    .reference = convert_case_reference<Case::kLower>,
    .device = on_device<"in_case<false>", "strings/texts", false, true>,
    .documentation = "The string in lower case, letter by letter (Unicode's simple mapping).",
    .example = "lower('ÄPFEL')"};
constexpr Function kUpper{
    .name = "upper",
    .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
    .evaluate = convert_case<Case::kUpper>,
    .reference = convert_case_reference<Case::kUpper>,
    .device = on_device<"in_case<true>", "strings/texts", false, true>,
    .documentation = "The string in upper case, letter by letter (Unicode's simple mapping).",
    .example = "upper('äpfel')"};
constexpr Function kCaseFunctions[] = {kLower, alias("lcase", kLower), kUpper, alias("ucase", kUpper)};

}  // namespace

std::string lower_case(std::string_view text) { return convert_by_letter<Case::kLower>(text); }

std::span<const Function> case_functions() { return kCaseFunctions; }

}  // namespace lanewise::expr
