#include "codegen/program_maker.h"

#include <algorithm>
#include <optional>
#include <string>

#include "expr/codegen/traits.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "expr/functions/predicates.h"
#include "text/forms/form.h"

namespace lanewise::codegen {

namespace {

/// The expression with columns[i] where it read column i.
ExprPtr substitute(const ExprPtr& expr, const std::vector<ExprPtr>& columns) {
  if (expr->kind == Expr::Kind::kColumn) return columns[expr->column];
  if (expr->args.empty()) return expr;
  auto copy = std::make_shared<Expr>(*expr);
  for (ExprPtr& arg : copy->args) arg = substitute(arg, columns);
  if (expr->kind == Expr::Kind::kOr || expr->kind == Expr::Kind::kCase)
    copy->prepared = nullptr;  // of the columns before
  return copy;
}

/// The calls in `expr` that automata answer.
std::vector<Match> matches_in(const Expr& expr) {
  std::vector<Match> found;
  walk(expr, [&](const Expr& part) {
    if (!expr::is_match(part)) return;
    const Match match = match_of(part);
    if (std::find(found.begin(), found.end(), match) == found.end()) found.push_back(match);
  });
  return found;
}

/// Comparisons with strings that run as patterns: each is a stage, with kernels of its own.
constexpr size_t kMostCompared = 4;

/// A pattern that is `text` and nothing else.
std::shared_ptr<const expr::PreparedPattern> pattern_of(const std::string& text) {
  std::string like;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') like += '\\';
    like += c;
  }
  return std::make_shared<expr::PreparedPattern>(text::compile_like(like, {.escape = '\\', .limits = {}}));
}

/// A column's comparison with a text, run as a pattern: kernels for these are compiled ahead, and read rows
/// by wide loads. Other expressions stay as they are.
ExprPtr as_match(const ExprPtr& predicate) {
  if (predicate->kind != Expr::Kind::kCall || predicate->args.size() != 2) return predicate;
  const Function::Form form = predicate->function->form;
  if (form != Function::Form::kEqual && form != Function::Form::kUnequal) return predicate;
  for (const size_t place : {size_t{0}, size_t{1}}) {
    const ExprPtr &column = predicate->args[place], &other = predicate->args[1 - place];
    if (column->kind != Expr::Kind::kColumn || column->type.id != TypeId::kVarchar) continue;
    const std::optional<std::string> text = expr::literal_text(other);
    if (!text || text->empty() || text->size() > text::forms::kMostGpuNeedle) continue;
    ExprPtr match = expr::pattern_test(column, pattern_of(*text));
    return form == Function::Form::kEqual ? match : call("NOT", {std::move(match)});
  }
  return predicate;
}

/// Whether `expr` computes its part `part` for each row, as Emitter does: all arguments of a call, NULL or
/// not.
bool computes(const ExprPtr& expr, const ExprPtr& part) {
  if (expr == part) return true;
  const bool all = expr->kind == Expr::Kind::kCall || expr->kind == Expr::Kind::kCast;
  const size_t args = all ? expr->args.size() : std::min<size_t>(expr->args.size(), 1);
  return std::any_of(expr->args.begin(), expr->args.begin() + args,
                     [&](const ExprPtr& arg) { return computes(arg, part); });
}

}  // namespace

void Stages::add(const ExprPtr& predicate) {
  begin(matches_in(*predicate));
  stages_.back().predicates.push_back(predicate);
}

void Stages::begin(const std::vector<Match>& matches) {
  if (matches.empty()) return;
  for (const Match& match : matches) expr::automaton_of(*match.pattern);
  end();
  stages_.back().matches = matches;
}

void Stages::end() {
  if (!stages_.back().keeps_all_rows()) stages_.emplace_back();
}

size_t Stages::end_with(std::shared_ptr<const StageEnd> step, const std::vector<Match>& matches) {
  begin(matches);
  stages_.back().end = std::move(step);
  end();
  return stages_.size() - 2;
}

bool Stages::ends_long() const {
  return std::ranges::any_of(stages_.back().predicates, [](const ExprPtr& predicate) {
    return expr::device_traits(*predicate).is_long;
  });
}

void ProgramMaker::add_column(Type type) {
  columns_.push_back(column(width(), type));
  add_hidden(type);
}

ExprPtr ProgramMaker::resolve(const ExprPtr& expr) const { return substitute(expr, columns_); }

void ProgramMaker::filter(const std::vector<ExprPtr>& predicates) {
  raise_errors();
  for (const ExprPtr& predicate : expr::order_by_cost(expr::conjuncts(predicates))) {
    ExprPtr asked = resolve(predicate);
    if (compared_ < kMostCompared) {
      ExprPtr match = as_match(asked);
      compared_ += match != asked;
      asked = std::move(match);
    }
    keep_if(asked);
  }
}

void ProgramMaker::project(const std::vector<ExprPtr>& exprs) {
  std::vector<ExprPtr> made;
  for (const ExprPtr& expr : exprs) {
    made.push_back(resolve(expr));
    if (expr::device_traits(*made.back()).may_fail) unchecked_.push_back(made.back());
  }
  set_columns(std::move(made));
}

void ProgramMaker::raise_errors() {
  for (const ExprPtr& expr : unchecked_)
    keep_if(disjunction({call("IS NULL", {expr}), literal(Value::boolean(true))}));
  unchecked_.clear();
}

void ProgramMaker::probe(Probe probe, std::shared_ptr<const StageEnd> end) {
  std::vector<Match> matches;
  const auto add_matches = [&](const ExprPtr& expr) {
    for (const Match& match : matches_in(*expr)) matches.push_back(match);
  };
  for (const ExprPtr& key : probe.keys) add_matches(key);
  if (probe.condition != nullptr) add_matches(probe.condition);
  probe.stage = stages_.end_with(std::move(end), matches);
  program_.probes.push_back(std::move(probe));
}

/// Whether the sink computes it for each row.
bool ProgramMaker::is_output(const SinkForm& sink, const ExprPtr& expr) const {
  const std::vector<ExprPtr>& outputs = program_.outputs;
  const bool pairs = sink.takes != SinkForm::Takes::kColumns;  // of values and conditions
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool has_condition = pairs && i % 2 == 0 && outputs[i + 1] != nullptr;
    if (outputs[i] != nullptr && !has_condition && computes(outputs[i], expr)) return true;
  }
  return false;
}

Program ProgramMaker::finish(const SinkForm& sink) {
  if (sink.expressions == nullptr) {
    program_.outputs = std::move(columns_);
  } else {
    for (const ExprPtr& expr : *sink.expressions) program_.outputs.push_back(expr ? resolve(expr) : nullptr);
  }
  if (!sink.picks) std::erase_if(unchecked_, [&](const ExprPtr& expr) { return is_output(sink, expr); });
  raise_errors();
  std::vector<Match> matches;
  for (const ExprPtr& output : program_.outputs) {
    if (output == nullptr) continue;
    for (const Match& match : matches_in(*output))
      if (std::find(matches.begin(), matches.end(), match) == matches.end()) matches.push_back(match);
  }
  stages_.begin(matches);
  const auto is_plain = [](const ExprPtr& expr) {
    return expr == nullptr || expr->kind == Expr::Kind::kColumn;
  };
  const bool plain = std::all_of(program_.outputs.begin(), program_.outputs.end(), is_plain);
  const bool groups = sink.takes == SinkForm::Takes::kGroups, states = sink.takes == SinkForm::Takes::kStates;
  if (plain && (groups || (states && stages_.ends_long()))) stages_.end();
  program_.stages = stages_.take();
  return std::move(program_);
}

}  // namespace lanewise::codegen
