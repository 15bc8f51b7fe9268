#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/graphemes.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

void reverse_word(const char* from, char* to) {
  uint64_t word;
  std::memcpy(&word, from, 8);
  word = __builtin_bswap64(word);
  std::memcpy(to, &word, 8);
}

void reverse_bytes(std::string_view text, char* to) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) reverse_word(text.data() + text.size() - at - 8, to + at);
  if (text.size() >= 8) {
    reverse_word(text.data(), to + text.size() - 8);  // the rest, and some bytes again
  } else {
    for (; at < text.size(); ++at) to[at] = text[text.size() - 1 - at];
  }
}

void reverse_into(std::string_view text, char* to) {
  if (is_ascii(text)) return reverse_bytes(text, to);
  char* next = to + text.size();
  for (size_t at = 0; at < text.size();) {
    const size_t end = next_grapheme(text, at);
    next -= end - at;
    std::memcpy(next, text.data() + at, end - at);
    at = end;
  }
}

Vector reverse(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Texts texts(args[0], rows);
  TextWriter writer("reverse", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    reverse_into(text, writer.reserve(text.size()));
    return writer.take(text.size());
  });
}

Value reverse_reference(const Expr&, std::span<const Value> args) {
  const std::string& text = args[0].text();
  if (is_ascii(text)) return Value::varchar({text.rbegin(), text.rend()});  // \r\n too
  std::string result;
  const std::vector<std::string> clusters = graphemes_of(text);
  for (auto cluster = clusters.rbegin(); cluster != clusters.rend(); ++cluster) result += *cluster;
  return Value::varchar(result);
}

constexpr Function kReverseFunctions[] = {
    {.name = "reverse",
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
     .evaluate = reverse,
     .reference = reverse_reference,
     .device = on_device<"reversed", "strings/graphemes", false, true>,
     .documentation = "The string backwards; letters keep their accents.",
     .example = "reverse('noël')"},
};

}  // namespace

std::span<const Function> reverse_functions() { return kReverseFunctions; }

}  // namespace lanewise::expr
