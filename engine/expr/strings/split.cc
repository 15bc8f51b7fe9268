#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/search.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

constexpr size_t kNowhere = std::string_view::npos;

/// One piece of a string between separators.
struct Piece {
  std::string_view text;
  bool found;
};

/// The pieces from the left. An empty separator stands after each character.
class Splitter {
 public:
  Splitter(std::string_view text, std::string_view separator) : rest_(text), separator_(separator) {}

  bool done() const { return done_; }
  std::string_view next() {
    const size_t at = separator_.empty() ? next_character_or_end() : find_text(rest_, separator_, 0);
    const std::string_view piece = rest_.substr(0, at);
    done_ = at == kNowhere;
    if (!done_) rest_.remove_prefix(at + separator_.size());
    return piece;
  }

 private:
  size_t next_character_or_end() const {
    if (rest_.empty()) return kNowhere;
    const size_t at = next_character(rest_, 0);
    return at == rest_.size() ? kNowhere : at;
  }

  std::string_view rest_;
  std::string_view separator_;
  bool done_ = false;
};

/// Piece `number` (-1 is the last) where the separator is one byte: occurrences do not overlap, so it can be
/// looked for from the end.
Piece piece_from_end(std::string_view text, char separator, int64_t number) {
  for (;; ++number) {
    const void* at = text.empty() ? nullptr : memrchr(text.data(), separator, text.size());
    const size_t end =
        at == nullptr ? 0 : static_cast<size_t>(static_cast<const char*>(at) - text.data()) + 1;
    if (number == -1) return {text.substr(end), true};
    if (at == nullptr) return {{}, false};
    text = text.substr(0, end - 1);
  }
}

/// Piece `number`: 1 is the first, -1 the last; 0 does not exist.
Piece piece_of(std::string_view text, std::string_view separator, int64_t number) {
  if (number < 0 && separator.size() == 1) return piece_from_end(text, separator[0], number);
  if (number < 0) {
    int64_t count = 0;
    for (Splitter all(text, separator); !all.done(); ++count) all.next();
    if (number < -count) return {{}, false};
    number += count + 1;
  }
  if (number == 0) return {{}, false};
  Splitter pieces(text, separator);
  for (; number > 1 && !pieces.done(); --number) pieces.next();
  return pieces.done() ? Piece{{}, false} : Piece{pieces.next(), true};
}

std::vector<std::string> split_reference(const std::string& text, const std::string& separator) {
  if (separator.empty()) {
    const std::vector<std::string> characters = characters_of(text);
    return characters.empty() ? std::vector<std::string>{""} : characters;
  }
  std::vector<std::string> pieces(1);
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, separator.size(), separator) == 0) {
      pieces.emplace_back();
      at += separator.size();
    } else {
      pieces.back() += text[at++];
    }
  }
  return pieces;
}

/// Piece `number` of the list; `otherwise` if there is none.
Value pick(const std::vector<std::string>& pieces, int128_t number, const Value& otherwise) {
  const auto count = static_cast<int128_t>(pieces.size());
  if (number < 0) number += count + 1;
  return number < 1 || number > count ? otherwise : Value::varchar(pieces[static_cast<size_t>(number - 1)]);
}

Vector split_part(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  const Texts separators(args[1], rows);
  const Integers numbers(args[2], rows);
  return map_rows(expr.type, rows,
                  [&](uint32_t row) { return piece_of(texts[row], separators[row], numbers[row]).text; });
}

Value split_part_reference(const Expr&, std::span<const Value> args) {
  return pick(split_reference(args[0].text(), args[1].text()), args[2].integer(), Value::varchar(""));
}

/// With constants that are there NULL is where the text is, or where it has no such piece.
std::optional<DeviceFunction> device_split(const Expr& expr) {
  for (const size_t arg : {1, 2}) {
    if (expr.args[arg]->kind != Expr::Kind::kLiteral || expr.args[arg]->literal.is_null())
      return std::nullopt;
  }
  return DeviceFunction{.name = "split_extract", .may_be_null = true, .header = "strings/slices"};
}

// DuckDB binds split_part() to list functions; this is what string_split(text, separator)[number] means.
Vector split_extract(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const uint32_t count = rows.rows();
  uint64_t* validity = all_ones(count, rows.arena());
  const Texts texts(args[0], rows);
  const Texts separators(args[1], rows);
  const Integers numbers(args[2], rows);
  Vector result = map_rows(expr.type, rows, [&](uint32_t row) {
    Piece piece{{}, false};
    if (!args[0].is_null(row) && !args[2].is_null(row)) {
      const int64_t number = numbers[row];
      piece = args[1].is_null(row) ? Piece{texts[row], number == 1 || number == -1}
                                   : piece_of(texts[row], separators[row], number);
    }
    if (!piece.found) bits::clear(validity, row);
    return piece.text;
  });
  result.validity = validity;
  return result;
}

Value split_extract_reference(const Expr&, std::span<const Value> args) {
  Value null(TypeId::kVarchar);
  if (args[0].is_null() || args[2].is_null()) return null;
  const std::string& text = args[0].text();
  return pick(args[1].is_null() ? std::vector{text} : split_reference(text, args[1].text()),
              args[2].integer(), null);
}

Vector strpos(const Expr&, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  const Texts texts(args[0], rows);
  const Texts needles(args[1], rows);
  return map_rows(TypeId::kInt64, rows, [&](uint32_t row) -> int64_t {
    const std::string_view text = texts[row];
    const size_t at = needles[row].empty() ? 0 : find_text(text, needles[row], 0);
    return at == kNowhere ? 0 : static_cast<int64_t>(count_characters(text.substr(0, at))) + 1;
  });
}

Value strpos_reference(const Expr&, std::span<const Value> args) {
  const size_t at = args[0].text().find(args[1].text());
  if (at == std::string::npos) return Value::int64(0);
  return Value::int64(static_cast<int64_t>(characters_of(args[0].text().substr(0, at)).size()) + 1);
}

constexpr Function kStrpos{
    .name = "strpos",
    .resolve = takes<TypeId::kInt64, TypeId::kVarchar, TypeId::kVarchar>,
    .evaluate = strpos,
    .reference = strpos_reference,
    .device = on_device<"position", "strings/slices">,
    .documentation = "The position of the first occurrence, in characters from 1; 0 if there is none.",
    .example = "strpos('straße', 'ß')"};
constexpr Function kSplitFunctions[] = {
    kStrpos,
    alias("instr", kStrpos),
    alias("position", kStrpos),
    {.name = "split_part",
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
     .evaluate = split_part,
     .reference = split_part_reference,
     .device = on_device<"split_part", "strings/slices">,
     .documentation =
         "A piece of the string between separators; 1 is the first, -1 the last; '' if there is none.",
     .example = "split_part('usr/bin/env', '/', 2)"},
    {.name = "string_split_extract",
     .nulls = Function::Nulls::kOwn,
     .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
     .evaluate = split_extract,
     .reference = split_extract_reference,
     .device = device_split,
     .documentation = "string_split(string, separator)[number] without the list: a piece of the string, NULL "
                      "if there is none.",
     .example = "string_split('usr/bin/env', '/')[-1]"},
};

}  // namespace

std::span<const Function> split_functions() { return kSplitFunctions; }

}  // namespace lanewise::expr
