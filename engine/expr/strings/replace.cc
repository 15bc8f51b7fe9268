#include <array>
#include <cstring>

#include "expr/strings/functions.h"
#include "expr/strings/search.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

/// Replaces from the left, without overlap; a string without an occurrence is not copied.
class Replacer {
 public:
  explicit Replacer(EvalContext& context) : writer_("replace", context) {}

  std::string_view operator()(std::string_view text, std::string_view from, std::string_view to) {
    if (from.empty()) return text;
    uint64_t count = 0;
    for (size_t at = find_text(text, from, 0); at != kNowhere; at = find_text(text, from, at + from.size())) {
      if (count < kRemembered) found_[count] = at;
      ++count;
    }
    if (count == 0) return text;
    uint64_t bytes;
    if (__builtin_mul_overflow(count, to.size(), &bytes) ||
        __builtin_add_overflow(bytes, text.size() - count * from.size(), &bytes)) {
      bytes = UINT64_MAX;
    }
    char* next = writer_.reserve(bytes);
    size_t done = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const size_t at = i < kRemembered ? found_[i] : find_text(text, from, done);
      next = append(next, text.substr(done, at - done));
      next = append(next, to);
      done = at + from.size();
    }
    append(next, text.substr(done));
    return writer_.take(bytes);
  }

 private:
  static constexpr size_t kNowhere = std::string_view::npos;
  /// Occurrences that need not be looked for again when they are replaced.
  static constexpr size_t kRemembered = 256;

  static char* append(char* to, std::string_view text) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }

  TextWriter writer_;
  std::array<size_t, kRemembered> found_;
};

Vector replace(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Texts texts(args[0], rows);
  const Texts from(args[1], rows);
  const Texts to(args[2], rows);
  Replacer replacer(context);
  return map_rows(expr.type, rows, [&](uint32_t row) { return replacer(texts[row], from[row], to[row]); });
}

Value replace_reference(const Expr&, std::span<const Value> args) {
  const std::string& text = args[0].text();
  const std::string& from = args[1].text();
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (!from.empty() && text.compare(at, from.size(), from) == 0) {
      result += args[2].text();
      at += from.size();
    } else {
      result += text[at++];
    }
  }
  return Value::varchar(result);
}

constexpr Function kReplaceFunctions[] = {
    {.name = "replace",
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>,
     .evaluate = replace,
     .reference = replace_reference,
     .device = on_device<"replaced", "strings/texts", false, true>,
     .documentation = "The string with each occurrence of one string replaced by another.",
     .example = "replace('a-b-c', '-', '::')"},
};

}  // namespace

std::span<const Function> replace_functions() { return kReplaceFunctions; }

}  // namespace lanewise::expr
