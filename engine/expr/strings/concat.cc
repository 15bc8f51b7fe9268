#include <algorithm>
#include <cstring>
#include <vector>

#include "expr/strings/functions.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

/// Strings of one row that become one, in place of a NULL nothing.
class Pieces {
 public:
  void add(std::string_view piece) {
    pieces_.push_back(piece);
    bytes_ += piece.size();
  }
  std::string_view join(TextWriter& writer) {
    char* to = writer.reserve(bytes_);
    for (std::string_view piece : pieces_) {
      if (!piece.empty()) std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
    }
    const std::string_view result = writer.take(bytes_);
    pieces_.clear();
    bytes_ = 0;
    return result;
  }

 private:
  std::vector<std::string_view> pieces_;
  uint64_t bytes_ = 0;
};

std::vector<Texts> all_texts(std::span<const Vector> args, const ActiveSet& rows) {
  std::vector<Texts> texts;
  for (const Vector& arg : args) texts.emplace_back(arg, rows);
  return texts;
}

Vector concat_operator(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                       EvalContext& context) {
  const std::vector<Texts> texts = all_texts(args, rows);
  TextWriter writer("||", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    uint64_t bytes = 0;
    for (const Texts& text : texts) bytes += text[row].size();
    char* to = writer.reserve(bytes);
    for (const Texts& text : texts) {
      const std::string_view piece = text[row];
      if (!piece.empty()) std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
    }
    return writer.take(bytes);
  });
}

Value concat_operator_reference(const Expr& expr, std::span<const Value> args) {
  std::string result;
  for (const Value& arg : args) result += arg.text();
  return {expr.type, std::move(result)};
}

/// Two strings or more, as chains of the operator are one call.
template <TypeId id>
std::optional<Type> joins(std::span<const Type> args) {
  const bool fits = std::ranges::all_of(args, [](const Type& arg) { return accepts(id, arg.id); });
  return args.size() >= 2 && fits ? std::optional(Type(id)) : std::nullopt;
}

Vector concat(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const std::vector<Texts> texts = all_texts(args, rows);
  TextWriter writer("concat", context);
  Pieces pieces;
  return map_rows(expr.type, rows, [&](uint32_t row) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i].is_null(row)) pieces.add(texts[i][row]);
    }
    return pieces.join(writer);
  });
}

Value concat_reference(const Expr&, std::span<const Value> args) {
  std::string result;
  for (const Value& arg : args) {
    if (!arg.is_null()) result += arg.text();
  }
  return Value::varchar(result);
}

Vector concat_ws(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                 EvalContext& context) {
  if (args[0].constant && args[0].is_null(0)) return null_vector(expr.type, rows.arena());
  const std::vector<Texts> texts = all_texts(args, rows);
  TextWriter writer("concat_ws", context);
  Pieces pieces;
  Vector result = map_rows(expr.type, rows, [&](uint32_t row) {
    if (args[0].is_null(row)) return std::string_view();
    bool first = true;
    for (size_t i = 1; i < args.size(); ++i) {
      if (args[i].is_null(row)) continue;
      if (!first) pieces.add(texts[0][row]);
      pieces.add(texts[i][row]);
      first = false;
    }
    return pieces.join(writer);
  });
  if (!args[0].constant) result.validity = args[0].validity;
  return result;
}

Value concat_ws_reference(const Expr&, std::span<const Value> args) {
  if (args[0].is_null()) return Value(TypeId::kVarchar);
  std::string result;
  bool first = true;
  for (const Value& arg : args.subspan(1)) {
    if (arg.is_null()) continue;
    if (!first) result += args[0].text();
    result += arg.text();
    first = false;
  }
  return Value::varchar(result);
}

constexpr Function kOperator{.name = "||",
                             .resolve = joins<TypeId::kVarchar>,
                             .evaluate = concat_operator,
                             .reference = concat_operator_reference,
                             .device = on_device<"joined", "strings/texts", false, true>,
                             .documentation = "One string after the other; NULL if one is NULL.",
                             .example = "'lane' || 'wise'"};
constexpr Function kBlobOperator{.name = "||",
                                 .resolve = joins<TypeId::kBlob>,
                                 .evaluate = concat_operator,
                                 .reference = concat_operator_reference,
                                 .device = on_device<"joined", "strings/texts", false, true>,
                                 .documentation = "One blob after the other; NULL if one is NULL.",
                                 .example = "'\\xAA'::BLOB || '\\xBB'::BLOB"};
constexpr Function kConcatFunctions[] = {
    kOperator,
    kBlobOperator,
    {.name = "concat",
     .form = Function::Form::kConcat,
     .nulls = Function::Nulls::kOwn,
     .resolve = takes_texts<1>,
     .evaluate = concat,
     .reference = concat_reference,
     .documentation = "One string after the other; NULLs are left out.",
     .example = "concat('lane', NULL, 'wise')"},
    {.name = "concat_ws",
     .form = Function::Form::kConcatWs,
     .nulls = Function::Nulls::kOwn,
     .resolve = takes_texts<2>,
     .evaluate = concat_ws,
     .reference = concat_ws_reference,
     .documentation = "The strings that are not NULL with the first one between them.",
     .example = "concat_ws('/', 'usr', NULL, 'bin')"},
};

}  // namespace

std::span<const Function> concat_functions() { return kConcatFunctions; }

}  // namespace lanewise::expr
