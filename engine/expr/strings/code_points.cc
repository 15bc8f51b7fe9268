#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "expr/gpu/strings/texts-inl.h"
#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"
#include "text/unicode/utf8.h"

namespace lanewise::expr {

namespace {

using text::unicode::decode;

/// The first code point; `otherwise` of an empty string. Of malformed text it is the first byte.
int32_t first_code_point(std::string_view text, int32_t otherwise) {
  if (text.empty()) return otherwise;
  const auto decoded = decode(text);
  return static_cast<int32_t>(decoded.bytes == 0 ? static_cast<unsigned char>(text[0]) : decoded.code_point);
}

template <int32_t kOfEmpty>
Vector code_point(const Expr&, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  return map_rows(TypeId::kInt32, rows, [&](uint32_t row) {
    kernel::Outcome outcome;
    return kernel::code_point<kOfEmpty>(outcome, kernel_text(texts[row]));
  });
}

template <int32_t kOfEmpty>
Value code_point_reference(const Expr&, std::span<const Value> args) {
  return Value::int32(first_code_point(args[0].text(), kOfEmpty));
}

bool is_code_point(int64_t number) {
  return number >= 0 && number <= text::unicode::kMaxCodePoint && !(number >= 0xD800 && number <= 0xDFFF);
}

[[noreturn]] void throw_no_code_point(int64_t number) {
  throw UserError(
      fmt::format("chr: {} is not the number of a character (0 to 1114111, without 55296 to 57343)", number));
}

Vector chr(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Integers numbers(args[0], rows);
  TextWriter writer("chr", context);
  WriterRoom room(writer);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    kernel::Outcome outcome;
    const kernel::Text character = kernel::character_of(outcome, room, numbers[row]);
    if (outcome.failed) throw_no_code_point(numbers[row]);
    return view(character);
  });
}

Value chr_reference(const Expr&, std::span<const Value> args) {
  const auto number = static_cast<int64_t>(args[0].integer());
  if (!is_code_point(number)) throw_no_code_point(number);
  return Value::varchar(text::unicode::encode(static_cast<char32_t>(number)));
}

/// What each character becomes: the one at the same place of `to`, or nothing where `to` has no such place.
class Translation {
 public:
  void assign(std::string_view from, std::string_view to) {
    pairs_.clear();
    size_t target = 0;
    for (size_t at = 0; at < from.size();) {
      const size_t next = next_character(from, at);
      const size_t target_end = target < to.size() ? next_character(to, target) : target;
      pairs_.push_back({from.substr(at, next - at), to.substr(target, target_end - target)});
      at = next;
      target = target_end;
    }
    // Among equal characters the first one counts.
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& a, const Pair& b) { return a.from < b.from; });
  }
  std::string_view of(std::string_view character) const {
    const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), character,
                                        [](const Pair& pair, std::string_view c) { return pair.from < c; });
    return found == pairs_.end() || found->from != character ? character : found->to;
  }

 private:
  struct Pair {
    std::string_view from;
    std::string_view to;
  };
  std::vector<Pair> pairs_;
};

std::string_view translated(std::string_view text, const Translation& translation, TextWriter& writer) {
  uint64_t bytes = 0;
  const auto each = [&](auto f) {
    for (size_t at = 0; at < text.size();) {
      const size_t next = next_character(text, at);
      f(translation.of(text.substr(at, next - at)));
      at = next;
    }
  };
  each([&](std::string_view character) { bytes += character.size(); });
  char* to = writer.reserve(bytes);
  each([&](std::string_view character) { to = std::copy(character.begin(), character.end(), to); });
  return writer.take(bytes);
}

Vector translate(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                 EvalContext& context) {
  const Texts texts(args[0], rows);
  const Texts from(args[1], rows);
  const Texts to(args[2], rows);
  const bool constant = from.constant() && to.constant();
  TextWriter writer("translate", context);
  Translation translation;
  if (constant) translation.assign(from[0], to[0]);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    if (!constant) translation.assign(from[row], to[row]);
    return translated(texts[row], translation, writer);
  });
}

Value translate_reference(const Expr&, std::span<const Value> args) {
  const std::vector<std::string> from = characters_of(args[1].text());
  const std::vector<std::string> to = characters_of(args[2].text());
  std::string result;
  for (const std::string& character : characters_of(args[0].text())) {
    const auto at = static_cast<size_t>(std::find(from.begin(), from.end(), character) - from.begin());
    if (at == from.size()) {
      result += character;
    } else if (at < to.size()) {
      result += to[at];
    }
  }
  return Value::varchar(result);
}

constexpr Function kUnicode{.name = "unicode",
                            .resolve = takes<TypeId::kInt32, TypeId::kVarchar>,
                            .evaluate = code_point<-1>,
                            .reference = code_point_reference<-1>,
                            .device = on_device<"code_point<-1>", "strings/slices">,
                            .documentation = "The number of the first character; -1 of an empty string.",
                            .example = "unicode('ß')"};
constexpr Function kCodePointsFunctions[] = {
    kUnicode,
    alias("ord", kUnicode),
    {.name = "ascii",
     .resolve = takes<TypeId::kInt32, TypeId::kVarchar>,
     .evaluate = code_point<0>,
     .reference = code_point_reference<0>,
     .device = on_device<"code_point<0>", "strings/slices">,
     .documentation = "The number of the first character; 0 of an empty string.",
     .example = "ascii('Ω')"},
    {.name = "chr",
     .raises = true,
     .resolve = takes<TypeId::kVarchar, TypeId::kInt32>,
     .evaluate = chr,
     .reference = chr_reference,
     .device = on_device<"character_of", "strings/texts", false, true>,
     .documentation = "The character of that number.",
     .example = "chr(8364)"},
    {.name = "translate",
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>,
     .evaluate = translate,
     .reference = translate_reference,
     .device = on_device<"translated", "strings/texts", false, true>,
     .documentation =
         "Each character of one list replaced by its partner in the other, or left out where it has none.",
     .example = "translate('1.234,5', '.,', ',.')"},
};

}  // namespace

std::span<const Function> code_point_functions() { return kCodePointsFunctions; }

}  // namespace lanewise::expr
