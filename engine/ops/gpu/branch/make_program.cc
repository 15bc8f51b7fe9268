#include "ops/gpu/branch/make_program.h"

#include <algorithm>

#include "expr/codegen/traits.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "ops/filter/filter.h"
#include "ops/filter/gpu/needle-inl.h"
#include "ops/gpu/branch/outer_joins.h"
#include "ops/join/build.h"
#include "ops/join/gpu/join_table.h"
#include "ops/join/gpu/probe_kernels.h"

namespace lanewise::ops {

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
std::vector<codegen::Match> matches_in(const Expr& expr) {
  std::vector<codegen::Match> found;
  walk(expr, [&](const Expr& part) {
    if (!expr::is_match(part)) return;
    const codegen::Match match = codegen::match_of(part);
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
    if (!text || text->empty() || text->size() > kernel::kMostNeedle) continue;
    ExprPtr match = expr::pattern_test(column, pattern_of(*text));
    return form == Function::Form::kEqual ? match : call("NOT", {std::move(match)});
  }
  return predicate;
}

/// Puts predicates into stages: a new one begins where an automaton is to see only rows that are left.
class Stages {
 public:
  void add(const ExprPtr& predicate) {
    begin(matches_in(*predicate));
    stages_.back().predicates.push_back(predicate);
  }
  /// Automata that the outputs run.
  void begin(const std::vector<codegen::Match>& matches) {
    if (matches.empty()) return;
    for (const codegen::Match& match : matches) expr::automaton_of(*match.pattern);
    end();
    stages_.back().matches = matches;
  }
  /// What follows sees only rows that are left.
  void end() {
    if (!stages_.back().keeps_all_rows()) stages_.emplace_back();
  }
  /// The stage ends with this step, which tests `matches`. Returns its number.
  size_t end_with(std::shared_ptr<const codegen::StageEnd> step, const std::vector<codegen::Match>& matches) {
    begin(matches);
    stages_.back().end = std::move(step);
    end();
    return stages_.size() - 2;
  }
  /// Whether the last one's predicates take long to compile.
  bool ends_long() const {
    return std::ranges::any_of(stages_.back().predicates, [](const ExprPtr& predicate) {
      return expr::device_traits(*predicate).is_long;
    });
  }
  std::vector<codegen::Stage> take() { return std::move(stages_); }

 private:
  std::vector<codegen::Stage> stages_ = std::vector<codegen::Stage>(1);
};

/// Whether `expr` computes its part `part` for each row, as Emitter does: all arguments of a call, NULL or
/// not.
bool computes(const ExprPtr& expr, const ExprPtr& part) {
  if (expr == part) return true;
  const bool all = expr->kind == Expr::Kind::kCall || expr->kind == Expr::Kind::kCast;
  const size_t args = all ? expr->args.size() : std::min<size_t>(expr->args.size(), 1);
  return std::any_of(expr->args.begin(), expr->args.begin() + args,
                     [&](const ExprPtr& arg) { return computes(arg, part); });
}

/// The values of a ScalarJoin's row.
std::vector<ExprPtr> constants_of(const plan::Node& node, const Table& table) {
  if (table.rows() > 1) throw UserError(std::get<plan::ScalarJoin>(node.payload).message);
  std::vector<ExprPtr> constants;
  for (size_t i = 0; i < table.schema.size(); ++i)
    constants.push_back(literal(table.rows() == 0 ? Value(table.schema[i].type) : table.value(0, i)));
  return constants;
}

/// Devices have no columns of nested types.
void require_plain(const Schema& schema) {
  for (const Field& field : schema) {
    if (field.type.is_nested())
      throw expr::NotOnDevice("columns of type " + field.type.name() + " are not supported on GPUs");
  }
}

using plan::JoinKind;

/// The most rows of a build side that are compared one by one where NULLs make a mark unknown.
constexpr uint64_t kMostJudged = uint64_t{1} << 16;

/// Why devices do not offer the join; null: they do. `table` is null until it is known.
const char* not_offered(const codegen::Probe& probe, const JoinTable* table) {
  const plan::Join& join = *probe.join;
  if (join.range) return join.keys.empty() ? "joins by an inequality" : "joins with a range";
  if (probe.unknown != nullptr && table != nullptr && table->rows() > kMostJudged)
    return "mark joins with several conditions over many rows";
  return nullptr;
}

/// The conjunction of all conditions of a kMark. A pair for which it is NULL makes the mark unknown. Null: a
/// NULL in any key does.
ExprPtr unknown_of(const codegen::Probe& probe) {
  const std::vector<plan::JoinKey>& keys = probe.join->keys;
  const auto finds_null = [](const plan::JoinKey& key) { return key.null_is_equal; };
  if (!probe.is_mark() || (probe.condition == nullptr && std::ranges::none_of(keys, finds_null)))
    return nullptr;
  std::vector<ExprPtr> all;
  for (size_t k = 0; k < keys.size(); ++k)
    all.push_back(call(keys[k].null_is_equal ? "IS NOT DISTINCT FROM" : "=",
                       {probe.keys[k], column(probe.key_column(k), keys[k].right->type)}));
  if (probe.condition != nullptr) all.push_back(probe.condition);
  return all.size() == 1 ? all[0] : conjunction(std::move(all));
}

bool holds_values(const Results& results, size_t build) {
  return build < results.size() && results[build].on_device != nullptr &&
         results[build].on_device->holds_values();
}

/// Makes `columns` those of rows of a build side: NULLs, then what it keeps, which are with the mark the
/// columns of the program. Returns the predicate on marks.
ExprPtr read_marked(const plan::Node& node, std::vector<Type>& types, std::vector<ExprPtr>& columns) {
  const auto& join = std::get<plan::Join>(node.payload);
  const Schema &left = node.children[0]->schema, &right = node.children[1]->schema;
  const JoinColumns kept(join, left, right);
  for (const size_t number : kept.kept) types.push_back(right[number].type);
  if (plan::gives_left(join.kind))
    for (const size_t number : join.left) columns.push_back(literal(Value(left[number].type)));
  for (const size_t number : kept.right) columns.push_back(column(number, types[number]));
  types.push_back(TypeId::kBool);
  ExprPtr mark = column(types.size() - 1, TypeId::kBool);
  return join.kind == JoinKind::kRightSemi ? mark : call("NOT", {std::move(mark)});
}

/// Goes through a branch's steps and writes its program.
class ProgramMaker {
 public:
  ProgramMaker(const plan::Branch& branch, const Results& results) : results_(results) {
    require_plain(branch.schema);
    if (const auto* marked = std::get_if<plan::MarkedRowsOf>(&branch.input)) {
      stages_.add(read_marked(*marked->join, program_.types, columns_));
    } else {
      for (const Field& field : branch.schema) add_column(field.type);
    }
    if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) filter((*scan)->predicates);
  }

  void step(const plan::StepSpec& step) {
    require_plain(step.node->schema);
    const plan::Payload& payload = step.node->payload;
    if (const auto* node = std::get_if<plan::Filter>(&payload)) {
      filter({node->predicate});
    } else if (const auto* project = std::get_if<plan::Project>(&payload)) {
      std::vector<ExprPtr> made;
      for (const ExprPtr& expr : project->exprs) {
        made.push_back(substitute(expr, columns_));
        if (expr::device_traits(*made.back()).may_fail) unchecked_.push_back(made.back());
      }
      columns_ = std::move(made);
    } else if (std::holds_alternative<plan::Unnest>(payload)) {
      throw expr::NotOnDevice("UNNEST is not supported on GPUs");
    } else if (std::holds_alternative<plan::Join>(payload)) {
      probe(step);
    } else if (std::holds_alternative<plan::ScalarJoin>(payload)) {
      for (ExprPtr& constant : constants_of(*step.node, results_[step.result].table))
        columns_.push_back(std::move(constant));
    } else {
      throw expr::NotOnDevice(std::string(plan::name(payload)) + " is not supported on GPUs");
    }
  }

  codegen::Program finish(const codegen::SinkForm& sink) {
    if (sink.expressions == nullptr) {
      program_.outputs = std::move(columns_);
    } else {
      for (const ExprPtr& expr : *sink.expressions)
        program_.outputs.push_back(expr ? substitute(expr, columns_) : nullptr);
    }
    if (!sink.picks) std::erase_if(unchecked_, [&](const ExprPtr& expr) { return is_output(sink, expr); });
    check();
    std::vector<codegen::Match> matches;
    for (const ExprPtr& output : program_.outputs) {
      if (output == nullptr) continue;
      for (const codegen::Match& match : matches_in(*output))
        if (std::find(matches.begin(), matches.end(), match) == matches.end()) matches.push_back(match);
    }
    stages_.begin(matches);
    const auto is_plain = [](const ExprPtr& expr) {
      return expr == nullptr || expr->kind == Expr::Kind::kColumn;
    };
    const bool plain = std::all_of(program_.outputs.begin(), program_.outputs.end(), is_plain);
    const bool groups = sink.takes == codegen::SinkForm::Takes::kGroups,
               states = sink.takes == codegen::SinkForm::Takes::kStates;
    if (plain && (groups || (states && stages_.ends_long()))) stages_.end();
    program_.stages = stages_.take();
    return std::move(program_);
  }

 private:
  void add_column(Type type) {
    columns_.push_back(column(program_.types.size(), type));
    program_.types.push_back(type);
  }

  /// Whether the sink computes it for each row.
  bool is_output(const codegen::SinkForm& sink, const ExprPtr& expr) const {
    const std::vector<ExprPtr>& outputs = program_.outputs;
    const bool pairs = sink.takes != codegen::SinkForm::Takes::kColumns;  // of values and conditions
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool has_condition = pairs && i % 2 == 0 && outputs[i + 1] != nullptr;
      if (outputs[i] != nullptr && !has_condition && computes(outputs[i], expr)) return true;
    }
    return false;
  }

  /// Later steps may drop rows or compute values only for some. So errors of all rows are raised here.
  void check() {
    for (const ExprPtr& expr : unchecked_)
      stages_.add(disjunction({call("IS NULL", {expr}), literal(Value::boolean(true))}));
    unchecked_.clear();
  }

  void filter(const std::vector<ExprPtr>& predicates) {
    check();
    for (const ExprPtr& predicate : order_by_cost(conjuncts(predicates))) {
      ExprPtr asked = substitute(predicate, columns_);
      if (compared_ < kMostCompared) {
        ExprPtr match = as_match(asked);
        compared_ += match != asked;
        asked = std::move(match);
      }
      stages_.add(asked);
    }
  }

  void probe(const plan::StepSpec& step) {
    const plan::Node& node = *step.node;
    const auto& join = std::get<plan::Join>(node.payload);
    check();
    const Schema& right = node.children[1]->schema;
    const JoinColumns kept(join, node.children[0]->schema, right);
    codegen::Probe made{&join, step.result, {}, nullptr, program_.types.size(), kept.kept.size()};
    const bool repeat = made.gives_pairs() && keys_repeat(results_, step.result);
    made.takes_one = repeat && join.kind == JoinKind::kSingle;
    made.expands = repeat && !made.takes_one;
    made.finds_value = holds_values(results_, step.result);
    std::vector<codegen::Match> matches;
    const auto ask = [&](const ExprPtr& expr) {
      for (const codegen::Match& match : matches_in(*expr)) matches.push_back(match);
      return expr;
    };
    for (const plan::JoinKey& key : join.keys) made.keys.push_back(ask(substitute(key.left, columns_)));
    for (const size_t column : kept.kept) add_column(right[column].type);
    for (const plan::JoinKey& key : join.keys) program_.types.push_back(key.right->type);
    if (made.is_mark()) add_column(TypeId::kBool);
    const bool narrows_later = join.kind == JoinKind::kInner;  // pairs are rows, which a filter leaves
    if (kept.condition != nullptr && !narrows_later)
      made.condition = ask(substitute(kept.condition, columns_));
    made.unknown = unknown_of(made);
    const bool is_there = step.result < results_.size();
    if (const char* const lacking =
            not_offered(made, is_there ? results_[step.result].on_device.get() : nullptr))
      throw expr::NotOnDevice(std::string(lacking) + " are not supported on GPUs");
    made.stage = stages_.end_with(probe_end(program_.probes.size()), matches);
    program_.probes.push_back(std::move(made));
    if (kept.condition != nullptr && narrows_later) filter({kept.condition});
    std::vector<ExprPtr> given;
    const size_t first = node.children[0]->schema.size();
    for (const size_t column : join.left) given.push_back(columns_[column]);
    if (join.kind == JoinKind::kMark) given.push_back(columns_.back());
    if (plan::gives_right(join.kind))
      for (const size_t column : kept.right) given.push_back(columns_[first + column]);
    columns_ = std::move(given);
  }

  const Results& results_;
  codegen::Program program_;
  Stages stages_;
  std::vector<ExprPtr> columns_;    // of the rows at this place of the pipeline
  std::vector<ExprPtr> unchecked_;  // of steps before; they may raise errors
  size_t compared_ = 0;             // comparisons that run as patterns
};

}  // namespace

codegen::Program make_program(const plan::Branch& branch, const codegen::SinkForm& sink,
                              const Results& results) {
  ProgramMaker maker(branch, results);
  for (const plan::StepSpec& step : branch.steps) maker.step(step);
  return maker.finish(sink);
}

}  // namespace lanewise::ops
