#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "expr/gpu/literals.h"
#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

enum class TrimSide { kLeft, kRight, kBoth };
constexpr const char* kTrimNames[] = {"ltrim", "rtrim", "trim"};

/// The spaces (Unicode's category Zs), which is what is trimmed when nothing else is said.
constexpr std::string_view kSpaces =
    " \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000";

/// The characters to be trimmed.
class Trimmed {
 public:
  explicit Trimmed(std::string_view characters) { assign(characters); }

  void assign(std::string_view characters) {
    std::fill_n(single_, 256, false);
    longer_.clear();
    for (size_t at = 0; at < characters.size();) {
      const size_t next = next_character(characters, at);
      if (next == at + 1) {
        single_[static_cast<unsigned char>(characters[at])] = true;
      } else {
        longer_.push_back(characters.substr(at, next - at));
      }
      at = next;
    }
  }
  bool has(std::string_view character) const {
    if (character.size() == 1) return single_[static_cast<unsigned char>(character[0])];
    return std::find(longer_.begin(), longer_.end(), character) != longer_.end();
  }

 private:
  bool single_[256];
  std::vector<std::string_view> longer_;
};

template <TrimSide kSide>
std::string_view trimmed(std::string_view text, const Trimmed& characters) {
  size_t begin = 0;
  size_t end = text.size();
  if (kSide != TrimSide::kRight) {
    while (begin < end) {
      const size_t next = next_character(text, begin);
      if (!characters.has(text.substr(begin, next - begin))) break;
      begin = next;
    }
  }
  if (kSide != TrimSide::kLeft) {
    while (end > begin) {
      const size_t last = previous_character(text, end);
      if (!characters.has(text.substr(last, end - last))) break;
      end = last;
    }
  }
  return text.substr(begin, end - begin);
}

template <TrimSide kSide>
Vector trim(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  Trimmed characters(kSpaces);
  if (args.size() == 1) {
    return map_rows(expr.type, rows, [&](uint32_t row) { return trimmed<kSide>(texts[row], characters); });
  }
  const Texts sets(args[1], rows);
  if (sets.constant()) characters.assign(sets[0]);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    if (!sets.constant()) characters.assign(sets[row]);
    return trimmed<kSide>(texts[row], characters);
  });
}

template <TrimSide kSide>
Value trim_reference(const Expr&, std::span<const Value> args) {
  std::vector<std::string> text = characters_of(args[0].text());
  const std::vector<std::string> set =
      characters_of(args.size() == 1 ? std::string(kSpaces) : args[1].text());
  const auto has = [&](const std::string& c) { return std::count(set.begin(), set.end(), c) != 0; };
  while (kSide != TrimSide::kRight && !text.empty() && has(text.front())) text.erase(text.begin());
  while (kSide != TrimSide::kLeft && !text.empty() && has(text.back())) text.pop_back();
  return Value::varchar(join(text, 0, text.size()));
}

template <TrimSide kSide>
std::optional<DeviceFunction> device_trim(const Expr& expr) {
  DeviceFunction function{
      .name = fmt::format("trimmed<{}, {}>", kSide != TrimSide::kRight, kSide != TrimSide::kLeft),
      .header = "strings/slices"};
  if (expr.args.size() == 1)
    function.constants = ", " + device_literal(Value::varchar(std::string(kSpaces))).value;
  return function;
}

template <TrimSide kSide>
constexpr Function trim_entry(std::string_view documentation, std::string_view example) {
  return {.name = kTrimNames[static_cast<int>(kSide)],
          .resolve = takes<TypeId::kVarchar, TypeId::kVarchar>,
          .evaluate = trim<kSide>,
          .reference = trim_reference<kSide>,
          .device = device_trim<kSide>,
          .documentation = documentation,
          .example = example};
}

template <TrimSide kSide>
constexpr Function of_characters(std::string_view documentation, std::string_view example) {
  Function function = trim_entry<kSide>(documentation, example);
  function.resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>;
  return function;
}

constexpr Function kTrimFunctions[] = {
    trim_entry<TrimSide::kBoth>("The string without spaces at its ends.", "trim('  abc ')"),
    of_characters<TrimSide::kBoth>("The string without any of the given characters at its ends.",
                                   "trim('<<ab>>', '<>')"),
    trim_entry<TrimSide::kLeft>("The string without spaces at its beginning.", "ltrim('  abc ')"),
    of_characters<TrimSide::kLeft>("The string without any of the given characters at its beginning.",
                                   "ltrim('__ab_', '_')"),
    trim_entry<TrimSide::kRight>("The string without spaces at its end.", "rtrim('  abc ')"),
    of_characters<TrimSide::kRight>("The string without any of the given characters at its end.",
                                    "rtrim('/usr/', '/')"),
};

}  // namespace

std::span<const Function> trim_functions() { return kTrimFunctions; }

}  // namespace lanewise::expr
