#include <algorithm>

#include "base/error.h"
#include "expr/nested/functions.h"
#include "expr/strings/texts.h"
#include "expr/vectors/elements.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

namespace structs {

namespace {

using Args = std::span<const Vector>;
using Types = std::span<const Type>;
using Given = std::span<const Value>;

/// Fields without names: who builds the call says those (call() with a type).
std::optional<Type> resolve_pack(Types args) {
  std::vector<Member> fields;
  for (const Type type : args) fields.push_back({"", type});
  return Type::structure(std::move(fields));
}

Vector pack(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  return structs_of(expr.type, args, rows);
}

Value pack_reference(const Expr& expr, Given args) {
  return packed::pack(expr.type, ValueList(args.begin(), args.end()));
}

std::optional<Type> resolve_extract(Types args) {
  if (args.size() != 2 || args[0].id != TypeId::kStruct || args[1] != TypeId::kInt64) return std::nullopt;
  return args[0].members().empty() ? Type() : args[0].members()[0].type;
}

size_t field_number(std::span<const ExprPtr> args) {
  const Value& number = args[1]->literal;
  invariant(args[1]->kind == Expr::Kind::kLiteral && !number.is_null(),
            "the number of a field is a constant");
  const size_t fields = args[0]->type.members().size();
  invariant(number.integer() >= 1 && number.integer() <= static_cast<int128_t>(fields),
            "there is such a field");
  return static_cast<size_t>(number.integer()) - 1;
}

Type refine_extract(Type, std::span<const ExprPtr> args) {
  return args[0]->type.members()[field_number(args)].type;
}

Vector extract(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  return field_of(args[0], field_number(expr.args), rows);
}

Value extract_reference(const Expr& expr, Given args) {
  return packed::unpack(args[0])[field_number(expr.args)];
}

std::optional<Type> resolve_concat(Types args) {
  std::vector<Member> fields;
  for (const Type type : args) {
    if (type.id != TypeId::kStruct) return std::nullopt;
    fields.insert(fields.end(), type.members().begin(), type.members().end());
  }
  if (fields.empty()) return std::nullopt;
  return Type::structure(std::move(fields));
}

/// A struct's fields are its bytes; those of a NULL struct are NULL.
Vector concat(const Expr& expr, Args args, const ActiveSet& rows, EvalContext&) {
  std::vector<Texts> structs;
  for (const Vector& arg : args) structs.emplace_back(arg, rows);
  return packed_rows(expr.type, rows, [&](uint32_t row, packed::Writer& to) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i].is_null(row)) {
        to.slot(structs[i][row]);
      } else {
        for (const Member& member : args[i].type.members()) to.null(member.type);
      }
    }
  });
}

Value concat_reference(const Expr& expr, Given args) {
  ValueList fields;
  for (const Value& arg : args) {
    if (arg.is_null()) {
      for (const Member& member : arg.type().members()) fields.emplace_back(member.type);
    } else {
      const ValueList own = packed::unpack(arg);
      fields.insert(fields.end(), own.begin(), own.end());
    }
  }
  return packed::pack(expr.type, fields);
}

/// The struct's fields, then the arguments; who builds the call says their names.
std::optional<Type> resolve_insert(Types args) {
  if (args.size() < 2 || args[0].id != TypeId::kStruct) return std::nullopt;
  std::vector<Member> fields = args[0].members();
  for (const Type type : args.subspan(1)) fields.push_back({"", type});
  return Type::structure(std::move(fields));
}

Value insert(const Expr& expr, Given args) {
  ValueList fields;
  if (!args[0].is_null())
    fields = packed::unpack(args[0]);
  else
    for (const Member& member : args[0].type().members()) fields.emplace_back(member.type);
  fields.insert(fields.end(), args.begin() + 1, args.end());
  return packed::pack(expr.type, fields);
}

std::optional<Type> resolve_keys(Types args) {
  if (args.size() != 1 || args[0].id != TypeId::kStruct) return std::nullopt;
  return Type::list(TypeId::kVarchar);
}

Value keys(const Expr& expr, Given args) {
  ValueList names;
  for (const Member& member : args[0].type().members()) names.push_back(Value::varchar(member.name));
  return packed::pack(expr.type, names);
}

std::optional<Type> resolve_values(Types args) {
  if (args.size() != 1 || args[0].id != TypeId::kStruct) return std::nullopt;
  std::vector<Member> fields = args[0].members();
  for (Member& field : fields) field.name.clear();
  return Type::structure(std::move(fields));
}

Value values(const Expr& expr, Given args) { return {expr.type, args[0].text()}; }

constexpr Function::Nulls kOwn = Function::Nulls::kOwn;
constexpr Function kPack{.name = "struct_pack",
                         .form = Function::Form::kStruct,
                         .nulls = kOwn,
                         .resolve = resolve_pack,
                         .evaluate = pack,
                         .reference = pack_reference,
                         .documentation = "A struct of the arguments.",
                         .example = "{'a': 1, 'b': 'x'}"};

constexpr Function named(Function function, std::string_view name, std::string_view documentation,
                         std::string_view example) {
  function.name = name;
  function.documentation = documentation;
  function.example = example;
  return function;
}

constexpr Function kStructFunctions[] = {
    kPack,
    named(kPack, "row", "A struct whose fields have no names.", "row(1, 'x')"),
    {.name = "struct_extract_at",
     .resolve = resolve_extract,
     .refine = refine_extract,
     .evaluate = extract,
     .reference = extract_reference,
     .documentation = "A field, by its number from 1.",
     .example = "struct_extract_at({'a': 1, 'b': 'x'}, 2)"},
    {.name = "struct_concat",
     .nulls = kOwn,
     .resolve = resolve_concat,
     .evaluate = concat,
     .reference = concat_reference,
     .documentation = "The fields of all structs.",
     .example = "struct_concat({'a': 1}, {'b': 2})"},
    {.name = "struct_insert",
     .nulls = kOwn,
     .resolve = resolve_insert,
     .evaluate = evaluate_rows,
     .reference = insert,
     .documentation = "The struct with further fields.",
     .example = "struct_insert({'a': 1}, b := 2)"},
    {.name = "struct_keys",
     .resolve = resolve_keys,
     .evaluate = evaluate_rows,
     .reference = keys,
     .documentation = "The names of the fields.",
     .example = "struct_keys({'a': 1, 'b': 2})"},
    {.name = "struct_values",
     .resolve = resolve_values,
     .evaluate = evaluate_rows,
     .reference = values,
     .documentation = "The same fields without names.",
     .example = "struct_values({'a': 1, 'b': 'x'})"},
};

}  // namespace

}  // namespace structs

std::span<const Function> struct_functions() { return structs::kStructFunctions; }

}  // namespace lanewise::expr
