#include "expr/codegen/emitter.h"

#include <fmt/format.h>

#include <utility>

#include "expr/patterns/prepared_pattern.h"

namespace lanewise::expr {

namespace {

using Form = Function::Form;

/// Both conditions, of which either may be empty (true).
std::string both_valid(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  return b.empty() ? a : a + " && " + b;
}

}  // namespace

void Emitter::line(std::string_view text) {
  text_.append(static_cast<size_t>(depth_) * 2, ' ').append(text).push_back('\n');
}
void Emitter::open(std::string_view head) {
  line(head);
  ++depth_;
}
void Emitter::close(std::string_view tail) {
  --depth_;
  line(tail);
}
void Emitter::line_if_texts(std::string_view text) {
  lines_if_texts_.emplace_back(text_.size(),
                               std::string(static_cast<size_t>(depth_) * 2, ' ').append(text) + "\n");
}
std::string Emitter::take() {
  for (auto line = lines_if_texts_.rbegin(); makes_texts_ && line != lines_if_texts_.rend(); ++line)
    text_.insert(line->first, line->second);
  lines_if_texts_.clear();
  return std::exchange(text_, {});
}

std::string Emitter::includes() const {
  std::string lines;
  for (const std::string_view header : headers_)
    lines += fmt::format("#include \"expr/gpu/{}-inl.h\"\n", header);
  return lines;
}

std::string Emitter::is_true(const Emitted& condition) {
  return both_valid(condition.valid, condition.value);
}

Emitted Emitter::emit(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kColumn:
      return leaf_(expr);
    case Expr::Kind::kLiteral:
      return literal_(expr);
    case Expr::Kind::kCall:
      return call(expr);
    case Expr::Kind::kCast:
      return cast(expr);
    case Expr::Kind::kAnd:
      return connect(expr, false);
    case Expr::Kind::kOr:
      return connect(expr, true);
    case Expr::Kind::kCase:
      return case_when(expr);
    case Expr::Kind::kCoalesce:
      return coalesce(expr);
    case Expr::Kind::kIn:
      return in_list(expr);
  }
  throw InternalError("unknown expression");
}

Emitted Emitter::call(const Expr& expr) {
  if (is_match(expr)) return leaf_(expr);
  if (const PreparedPattern* pattern = matched_pattern(expr)) return walk(expr, *pattern);
  switch (expr.function->form) {
    case Form::kBetween:
      return between(expr);
    case Form::kIsDistinct:
      return distinct(expr, true);
    case Form::kIsNotDistinct:
      return distinct(expr, false);
    case Form::kIsNull:
      return {"!(" + emit(*expr.args[0]).is_valid() + ")"};
    case Form::kIsNotNull:
      return {"(" + emit(*expr.args[0]).is_valid() + ")"};
    case Form::kConcat:
      return concat(expr);
    case Form::kConcatWs:
      return concat_ws(expr);
    case Form::kGreatest:
      return extreme(expr, true);
    case Form::kLeast:
      return extreme(expr, false);
    case Form::kError:
      return raise(expr);
    default:
      break;
  }
  const DeviceFunction device = called_on_device(expr);
  std::vector<Emitted> args;
  for (size_t arg = 0; arg < expr.args.size(); ++arg) {
    if (arg >= device.first && arg < device.last) args.push_back(emit(*expr.args[arg]));
  }
  return function(device, device_type(expr.type), args, expr.function->raises || device.may_fail, false);
}

/// result = name(outcome, args..., constants): of rows where all args are there. With `fails_to_null` a
/// failure is NULL.
Emitted Emitter::function(const DeviceFunction& device, std::string_view result,
                          const std::vector<Emitted>& args, bool fails, bool fails_to_null) {
  if (!device.header.empty()) headers_.insert(device.header);
  makes_texts_ |= device.makes_text;
  const std::string value = fresh("v"), outcome = fresh("out");
  std::string valid, call = device.name + "(" + outcome + (device.makes_text ? ", heap" : "");
  for (const Emitted& arg : args) {
    valid = both_valid(valid, arg.valid);
    call += ", " + arg.value;
  }
  for (const DeviceTable& table : device.tables) {
    const std::string name = fresh("table");
    line(fmt::format("static constexpr {} {}[] = {{{}}};", table.type, name, table.values));
    call += ", " + name;
  }
  call += device.constants + ")";
  line("Outcome " + outcome + ";");
  if (valid.empty()) {
    line(fmt::format("const {} {} = {};", result, value, call));
  } else {
    line(fmt::format("{} {}{{}};", result, value));
    line(fmt::format("if ({}) {} = {};", valid, value, call));
  }
  if (fails_to_null) {
    valid = both_valid(valid, "!" + outcome + ".failed");
  } else if (fails) {
    line(fmt::format("failed |= {}.failed;", outcome));
  }
  if (device.may_be_null) valid = both_valid(valid, "!" + outcome + ".null");
  if (valid.find("&&") == std::string::npos) return {value, valid};
  const std::string name_of_valid = fresh("ok");
  line(fmt::format("const bool {} = {};", name_of_valid, valid));
  return {value, name_of_valid};
}

Emitted Emitter::cast(const Expr& expr) {
  const Expr& arg = *expr.args[0];
  if (arg.type.id == TypeId::kNull) {
    if (const Expr* before = evaluated_before_null(expr)) emit(*before);
    return device_literal(Value(expr.type));
  }
  return function(cast_on_device(expr), device_type(expr.type), {emit(arg)}, cast_may_fail(expr),
                  expr.try_cast);
}

/// The automaton is a part of the source: where strings are computed, theirs is the kernel's work. So it is
/// where rows that match fail.
Emitted Emitter::walk(const Expr& match, const PreparedPattern& pattern) {
  const lanes::AutomatonView automaton = walked_automaton(match, pattern);
  const DeviceFunction walk{
      .name = fmt::format("walk<{}, {}, {}, {}, {}>", automaton.classes, automaton.start, automaton.dead,
                          automaton.end_accept, automaton.match),
      .header = "strings/walk",
      .tables = {
          device_table("u8", std::span(automaton.class_of, 256)),
          device_table("u16", std::span(automaton.next, size_t{automaton.states} * automaton.classes))}};
  Emitted found = function(walk, "bool", {emit(*match.args[0])}, false, false);
  if (!pattern.fault().empty()) line(fmt::format("failed |= {};", is_true(found)));
  if (is_negated(match)) found.value = "!" + found.value;
  return found;
}

/// In place of a NULL nothing.
Emitted Emitter::concat(const Expr& expr) {
  std::vector<Emitted> args;
  for (const ExprPtr& arg : expr.args) {
    const Emitted given = emit(*arg);
    args.push_back(
        {given.valid.empty() ? given.value : fmt::format("({} ? {} : Text{{}})", given.valid, given.value)});
  }
  return function({.name = "joined", .header = "strings/texts", .makes_text = true}, "Text", args, false,
                  false);
}

/// NULL where the separator is; of the others those that are there.
Emitted Emitter::concat_ws(const Expr& expr) {
  std::vector<Emitted> args = {emit(*expr.args[0])};
  for (size_t arg = 1; arg < expr.args.size(); ++arg) {
    const Emitted given = emit(*expr.args[arg]);
    args.push_back({fmt::format("Piece{{{}, {}}}", given.value, given.is_valid())});
  }
  return function({.name = "joined_by", .header = "strings/texts", .makes_text = true}, "Text", args, false,
                  false);
}

/// The row fails wherever the message is there; the host says it.
Emitted Emitter::raise(const Expr& expr) {
  const Emitted message = emit(*expr.args[0]);
  line(fmt::format("failed |= {};", message.is_valid()));
  return {"false", "false"};
}

/// The first argument that none other exceeds; NULLs are passed over.
Emitted Emitter::extreme(const Expr& expr, bool greatest) {
  const char* const below = expr.type.id == TypeId::kInterval ? "below_as_written" : "below";
  const std::string value = fresh("v"), valid = fresh("ok");
  line(fmt::format("{} {}{{}};", device_type(expr.type), value));
  line(fmt::format("bool {} = false;", valid));
  for (const ExprPtr& arg : expr.args) {
    const Emitted given = emit(*arg);
    const std::string better = greatest ? fmt::format("{}({}, {})", below, value, given.value)
                                        : fmt::format("{}({}, {})", below, given.value, value);
    open(fmt::format("if ({}) {{", both_valid(given.valid, fmt::format("(!{} || {})", valid, better))));
    line(fmt::format("{} = {};", value, given.value));
    line(fmt::format("{} = true;", valid));
    close();
  }
  // As everywhere: FLOATs, alone of all numbers, lose the sign of zero where they are compared.
  if (expr.type.id == TypeId::kFloat32 && expr.args.size() > 1) line(value + " += f32(0);");
  return {value, valid};
}

/// AND with `decisive` false, OR with `decisive` true: an argument that equals it decides the row; later ones
/// are not computed. Undecided rows are NULL where an argument was, else the opposite.
Emitted Emitter::connect(const Expr& expr, bool decisive) {
  const std::string decided = fresh("decided"), unknown = fresh("unknown");
  line(fmt::format("bool {} = false, {} = false;", decided, unknown));
  for (const ExprPtr& arg : expr.args) {
    open(fmt::format("if (!{}) {{", decided));
    const Emitted truth = emit(*arg);
    const std::string decides = decisive ? truth.value : "!" + truth.value;
    line(fmt::format("{} = {};", decided, both_valid(truth.valid, decides)));
    if (!truth.valid.empty()) line(fmt::format("{} |= !({});", unknown, truth.valid));
    close();
  }
  return {decisive ? decided : "!" + decided, fmt::format("({} || !{})", decided, unknown)};
}

Emitted Emitter::case_when(const Expr& expr) {
  const std::string value = fresh("v"), valid = fresh("ok");
  line(fmt::format("{} {}{{}};", device_type(expr.type), value));
  line(fmt::format("bool {} = false;", valid));
  const auto give = [&](const Expr& arg) {
    const Emitted given = emit(arg);
    line(fmt::format("{} = {};", value, given.value));
    line(fmt::format("{} = {};", valid, given.is_valid()));
  };
  int blocks = 0;
  for (size_t arg = 0; arg + 1 < expr.args.size(); arg += 2, ++blocks) {
    const Emitted condition = emit(*expr.args[arg]);
    open(fmt::format("if ({}) {{", is_true(condition)));
    give(*expr.args[arg + 1]);
    close();
    open("else {");
  }
  if (expr.args.size() % 2 == 1) give(*expr.args.back());
  for (; blocks > 0; --blocks) close();
  return {value, valid};
}

Emitted Emitter::coalesce(const Expr& expr) {
  const std::string value = fresh("v"), valid = fresh("ok");
  line(fmt::format("{} {}{{}};", device_type(expr.type), value));
  line(fmt::format("bool {} = false;", valid));
  for (const ExprPtr& arg : expr.args) {
    open(fmt::format("if (!{}) {{", valid));
    const Emitted given = emit(*arg);
    line(fmt::format("{} = {};", value, given.value));
    line(fmt::format("{} = {};", valid, given.is_valid()));
    close();
  }
  return {value, valid};
}

Emitted Emitter::in_list(const Expr& expr) {
  const Emitted wanted = emit(*expr.args[0]);
  const std::string found = fresh("found"), unknown = fresh("unknown");
  line(fmt::format("bool {} = false, {} = !({});", found, unknown, wanted.is_valid()));
  open(fmt::format("if (!{}) {{", unknown));
  for (size_t arg = 1; arg < expr.args.size(); ++arg) {
    open(fmt::format("if (!{}) {{", found));
    const Emitted item = emit(*expr.args[arg]);
    line(fmt::format("{} = {};", found,
                     both_valid(item.valid, fmt::format("same_value({}, {})", wanted.value, item.value))));
    if (!item.valid.empty()) line(fmt::format("{} |= !({});", unknown, item.valid));
    close();
  }
  close();
  return {found, fmt::format("({} || !{})", found, unknown)};
}

Emitted Emitter::between(const Expr& expr) {
  const Emitted value = emit(*expr.args[0]), low = emit(*expr.args[1]), high = emit(*expr.args[2]);
  const std::string above = fresh("above"), beneath = fresh("beneath");  // true also where they are not known
  const std::string low_known = both_valid(value.valid, low.valid);
  const std::string high_known = both_valid(value.valid, high.valid);
  const auto side = [&](const std::string& name, const std::string& known, const Emitted& a,
                        const Emitted& b) {
    const std::string out = fmt::format("below({}, {})", a.value, b.value);
    line(fmt::format("const bool {} = !({});", name, both_valid(known, out)));
  };
  side(above, low_known, value, low);
  side(beneath, high_known, high, value);
  const std::string result = fmt::format("({} && {})", above, beneath);
  const std::string known = both_valid(low_known, high_known);
  return {result, known.empty() ? "" : fmt::format("(!{} || ({}))", result, known)};
}

Emitted Emitter::distinct(const Expr& expr, bool negated) {
  const Emitted a = emit(*expr.args[0]), b = emit(*expr.args[1]);
  const std::string alike = fresh("v");
  line(fmt::format("const bool {} = ({}) == ({}) && (!({}) || same_value({}, {}));", alike, a.is_valid(),
                   b.is_valid(), a.is_valid(), a.value, b.value));
  return {(negated ? "!" : "") + alike};
}

}  // namespace lanewise::expr
