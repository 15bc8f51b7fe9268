#include <fmt/format.h>

#include <vector>

#include "expr/patterns/device_search.h"
#include "expr/patterns/functions.h"
#include "expr/patterns/match_rows.h"
#include "expr/patterns/prepared_pattern.h"
#include "expr/strings/functions.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

constexpr int kHighestGroup = 9;

/// regexp_extract's pattern and the group that is wanted.
class PreparedExtract : public PreparedPattern {
 public:
  explicit PreparedExtract(std::span<const ExprPtr> args) : PreparedPattern(Syntax::kSearch, args, 3) {
    if (args.size() < 3) return;
    if (args[2] == nullptr || args[2]->kind != Expr::Kind::kLiteral) {
      throw UserError("regexp_extract: the group must be a constant number");
    }
    group_ = group_of(args[2]->literal);
  }
  /// A group that is NULL has an empty text, as in DuckDB: no pattern has such a group.
  static int group_of(const Value& value) {
    if (value.is_null()) return -1;
    if (value.integer() < 0 || value.integer() > kHighestGroup) {
      throw UserError("regexp_extract: the group must be a number from 0 to 9, not " + value.to_string());
    }
    return static_cast<int>(value.integer());
  }
  int group() const { return group_; }

 private:
  int group_ = 0;
};

std::shared_ptr<const Prepared> prepare_extract(std::span<const ExprPtr> args) {
  return std::make_shared<PreparedExtract>(args);
}

/// The strings are part of the argument: nothing is copied.
Vector extract_valid(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                     EvalContext& context) {
  const auto& pattern = static_cast<const PreparedExtract&>(*expr.prepared);
  auto& state = PatternState::of(expr, context);
  const Texts texts(args[0], rows);
  if (pattern.is_constant()) {
    // Captures cost more than to know that there is no match.
    const uint64_t* hits =
        match_rows(pattern.matcher(context.target, context.tuning), args[0], rows, state.match);
    return map_rows(expr.type, rows, [&](uint32_t row) {
      if (!bits::test(hits, row)) return std::string_view();
      return text::regexp_extract(pattern.pattern(), texts[row], pattern.group(), state.capture);
    });
  }
  const Texts patterns(args[1], rows);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const text::Pattern& own =
        state.cache.get(pattern.syntax(), patterns[row], pattern.detail()).compiled.pattern;
    return text::regexp_extract(own, texts[row], pattern.group(), state.capture);
  });
}

Vector extract(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const uint64_t* validity = nullptr;
  for (const Vector& arg : args.first(2)) {
    if (arg.constant && arg.is_null(0)) return null_vector(expr.type, rows.arena());
    if (!arg.constant) validity = both(validity, arg.validity, rows.rows(), rows.arena());
  }
  const ActiveSet valid = validity == nullptr ? rows : rows.narrowed(validity);
  if (valid.none()) return null_vector(expr.type, rows.arena());
  Vector result;
  if (args[0].form == Vector::Form::kDictionary && args[0].dictionary->rows <= valid.count() &&
      args[1].constant) {
    const auto count = static_cast<uint32_t>(args[0].dictionary->rows);
    const Vector entries[] = {slice(*args[0].dictionary, 0, count, rows.arena()), args[1]};
    const Vector texts = extract_valid(expr, entries, ActiveSet(count, rows.arena()), context);
    result = gather(texts, args[0].as<uint32_t>(), valid);
  } else {
    result = extract_valid(expr, args, valid, context);
  }
  result.validity = validity;
  return result;
}

Value extract_reference(const Expr&, std::span<const Value> args) {
  if (args[0].is_null() || args[1].is_null()) return Value(TypeId::kVarchar);
  const int group = args.size() > 2 ? PreparedExtract::group_of(args[2]) : 0;
  const text::RegexOptions options =
      args.size() > 3 ? text::parse_regex_options(args[3].text()) : text::RegexOptions();
  const text::Pattern pattern = text::compile_regex(args[1].text(), options);
  text::CaptureContext context;
  std::vector<text::Capture> groups(static_cast<size_t>(pattern.groups()) + 1);
  if (group < 0 || group > pattern.groups() ||
      !text::find_captures(pattern, args[0].text(), 0, groups, context)) {
    return Value::varchar("");
  }
  return Value::varchar(std::string(groups[static_cast<size_t>(group)].of(args[0].text())));
}

/// See expr/gpu/strings/captures-inl.h.
std::optional<DeviceFunction> device_extract(const Expr& expr) {
  const auto& prepared = static_cast<const PreparedExtract&>(*expr.prepared);
  const int groups[] = {prepared.group()};
  if (!prepared.is_constant()) return std::nullopt;
  if (groups[0] < 0 || groups[0] > prepared.pattern().groups())
    return DeviceFunction{.name = "no_group", .header = "strings/captures", .last = 1};
  const auto search = device_search(prepared, groups);
  if (!search) return std::nullopt;
  return DeviceFunction{.name = fmt::format("extracted<{}, {}, {}>", search->classes(),
                                            search->starts().nothing, search->registers()),
                        .header = "strings/captures",
                        .tables = device_tables(*search),
                        .last = 1};
}

constexpr Function kExtract{
    .name = "regexp_extract",
    .nulls = Function::Nulls::kOwn,
    .raises = true,
    .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar>,
    .prepare = prepare_extract,
    .evaluate = extract,
    .reference = extract_reference,
    .device = device_extract,
    .documentation = "The first text that a regular expression matches; '' if there is none.",
    .example = "regexp_extract('libm.so.6', '[0-9]+')",
};

constexpr Function with(Function function, std::optional<Type> (*resolve)(std::span<const Type>),
                        std::string_view documentation, std::string_view example) {
  function.resolve = resolve;
  function.documentation = documentation;
  function.example = example;
  return function;
}

constexpr Function kExtractFunctions[] = {
    kExtract,
    with(kExtract, takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt32>,
         "The text of a group, 0 to 9, of the first match.",
         "regexp_extract('libm.so.6', '^lib(.*)[.]so', 1)"),
    with(kExtract,
         takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt32, TypeId::kVarchar>,
         "The same with options, as for regexp_matches.",
         "regexp_extract('LIBM.SO.6', '^lib(.*)[.]so', 1, 'i')"),
};

}  // namespace

std::span<const Function> extract_functions() { return kExtractFunctions; }

}  // namespace lanewise::expr
