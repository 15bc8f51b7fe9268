#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

constexpr int kComposed = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
constexpr int kWithoutMarks = kComposed | UTF8PROC_STRIPMARK;

/// Strings in a normal form of Unicode (Unicode standard annex 15), one after the other.
class Normalizer {
 public:
  Normalizer(std::string_view function, int options)
      : function_(function), options_(static_cast<utf8proc_option_t>(options)) {}

  /// Valid until the next call.
  std::string_view operator()(std::string_view text) {
    if (is_ascii(text)) return text;
    code_points_.resize(
        std::max(code_points_.size(), text.size() + 1));  // and the end that reencode() writes
    auto size = decompose(text);
    if (static_cast<size_t>(size) >= code_points_.size()) {
      code_points_.resize(static_cast<size_t>(size) + 1);
      size = decompose(text);
    }
    size = utf8proc_reencode(code_points_.data(), size, options_);
    return {reinterpret_cast<const char*>(code_points_.data()), static_cast<size_t>(size)};
  }

 private:
  utf8proc_ssize_t decompose(std::string_view text) {
    const auto size = utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), code_points_.data(),
                                         static_cast<utf8proc_ssize_t>(code_points_.size()), options_);
    if (size < 0) throw UserError(std::string(function_) + ": " + utf8proc_errmsg(size));
    return size;
  }

  std::string_view function_;
  utf8proc_option_t options_;
  std::vector<utf8proc_int32_t> code_points_;
};

template <int kOptions>
Vector normalize(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                 EvalContext& context) {
  const Texts texts(args[0], rows);
  Normalizer normalized(expr.function->name, kOptions);
  TextWriter writer(expr.function->name, context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    if (is_ascii(text)) return text;
    const std::string_view result = normalized(text);
    std::memcpy(writer.reserve(result.size()), result.data(), result.size());
    return writer.take(result.size());
  });
}

template <int kOptions>
Value normalize_reference(const Expr& expr, std::span<const Value> args) {
  return Value::varchar(std::string(Normalizer(expr.function->name, kOptions)(args[0].text())));
}

constexpr Function kNormalizeFunctions[] = {
    {.name = "nfc_normalize",
     .raises = true,
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
     .evaluate = normalize<kComposed>,
     .reference = normalize_reference<kComposed>,
     .documentation = "The string in Unicode's normal form C: letters with accents are one character.",
     .example = "nfc_normalize('e' || chr(769))"},
    {.name = "strip_accents",
     .raises = true,
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
     .evaluate = normalize<kWithoutMarks>,
     .reference = normalize_reference<kWithoutMarks>,
     .documentation = "The string without accents and other marks.",
     .example = "strip_accents('noël')"},
};

}  // namespace

std::span<const Function> normalize_functions() { return kNormalizeFunctions; }

}  // namespace lanewise::expr
