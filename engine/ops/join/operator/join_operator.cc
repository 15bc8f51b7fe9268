#include "ops/join/operator/join_operator.h"

#include <algorithm>

#include "base/error.h"
#include "codegen/program_maker.h"
#include "expr/codegen/traits.h"
#include "expr/functions/build.h"
#include "ops/join/build.h"
#include "ops/join/gpu/join_table.h"
#include "ops/join/gpu/probe_kernels.h"
#include "ops/join/operator/build_sink.h"
#include "ops/join/probe.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

using plan::JoinKind;

const plan::Join& join_of(const plan::Node& node) { return std::get<plan::Join>(node.payload); }

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

/// Of a row that a build side keeps, or that is found there: its keys, and the columns that the join gives.
double words_of_row(const plan::Node& node) {
  const plan::Join& join = join_of(node);
  double sum = 0;
  for (const plan::JoinKey& key : join.keys) sum += words(key.right->type);
  if (!plan::gives_right(join.kind)) return sum;
  for (const size_t column : join.right) sum += words(node.children[1]->schema[column].type);
  return sum;
}

class JoinOperator : public StepOperator {
 public:
  StepColumns columns(const plan::StepSpec& step) const override {
    const plan::Join& join = join_of(*step.node);
    StepColumns columns{.in_order = false};
    if (plan::gives_left(join.kind)) columns.below = join.left;
    columns.below.resize(step.node->schema.size(), kComputed);
    return columns;
  }
  RowNeeds needs(const plan::StepSpec& step) const override {
    const plan::Join& join = join_of(*step.node);
    RowNeeds needs;
    needs.match = plan::needs_match(join.kind);
    if (needs.match) needs.keys = join.keys;
    // Rows mark their matches, or raise an error if there are several.
    needs.sees_all = plan::asks_right(join.kind) || !join.message.empty();
    return needs;
  }
  double time(const plan::StepSpec& step, const StepInput& input) const override {
    if (input.build == nullptr) return StepOperator::time(step, input);
    return input.build->lookup_time() * (input.build->unique() ? 1 : 2);
  }
  OpenStep open(const plan::StepSpec& step, const StepInput& input) const override {
    if (input.build == nullptr) throw InternalError("a join's build side is there when it is read");
    const plan::Node& node = *step.node;
    Probe probe = make_probe(join_of(node), node.children[0]->schema, node.children[1]->schema, input.build);
    return {std::move(probe.step), std::move(probe.expander)};
  }

  void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
              const StepInput& input) const override {
    const plan::Node& node = *step.node;
    const plan::Join& join = join_of(node);
    program.raise_errors();
    const Schema &left = node.children[0]->schema, &right = node.children[1]->schema;
    const JoinColumns kept(join, left, right);
    codegen::Probe probe{&join, step.result, {}, nullptr, program.width(), kept.kept.size()};
    const bool repeat = probe.gives_pairs() && keys_repeat(input.build.get(), input.on_device);
    probe.takes_one = repeat && join.kind == JoinKind::kSingle;
    probe.expands = repeat && !probe.takes_one;
    probe.finds_value = input.on_device != nullptr && input.on_device->holds_values();
    for (const plan::JoinKey& key : join.keys) probe.keys.push_back(program.resolve(key.left));
    for (const size_t column : kept.kept) program.add_column(right[column].type);
    for (const plan::JoinKey& key : join.keys) program.add_hidden(key.right->type);
    if (probe.is_mark()) program.add_column(TypeId::kBool);
    const bool narrows_later = join.kind == JoinKind::kInner;  // pairs are rows, which a filter leaves
    if (kept.condition != nullptr && !narrows_later) probe.condition = program.resolve(kept.condition);
    probe.unknown = unknown_of(probe);
    if (const char* const lacking = not_offered(probe, input.on_device))
      throw expr::NotOnDevice(std::string(lacking) + " are not supported on GPUs");
    program.probe(std::move(probe), probe_end(program.probes()));
    if (kept.condition != nullptr && narrows_later) program.filter({kept.condition});
    const std::vector<ExprPtr>& columns = program.columns();
    std::vector<ExprPtr> given;
    for (const size_t column : join.left) given.push_back(columns[column]);
    if (join.kind == JoinKind::kMark) given.push_back(columns.back());
    if (plan::gives_right(join.kind))
      for (const size_t column : kept.right) given.push_back(columns[left.size() + column]);
    program.set_columns(std::move(given));
  }

  void add_work(BranchWork& work, const plan::StepSpec& step, double input_rows) const override {
    const plan::Node& node = *step.node;
    for (const plan::JoinKey& key : join_of(node).keys) work.evaluate({key.left});
    work.look_up(words_of_row(node), input_rows);
    // What DuckDB expects of the join, in proportion.
    const double given = node.estimated_rows, taken = node.children[0]->estimated_rows;
    if (given > 0 && taken > 0) work.multiply(given / taken);
  }
};

class BuildOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    const auto& children = pipeline.sink->children;
    return std::make_unique<BuildSink>(join_of(*pipeline.sink), children[0]->schema, children[1]->schema);
  }
  std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const override {
    return std::make_unique<DeviceBuildSink>(join_of(*pipeline.sink), pipeline.sink->children[0]->schema,
                                             pipeline.input);
  }
  std::vector<ExprPtr> expressions(const plan::Pipeline& pipeline) const override {
    std::vector<ExprPtr> exprs;
    for (const plan::JoinKey& key : join_of(*pipeline.sink).keys) exprs.push_back(key.right);
    return exprs;
  }
  double add_work(Work& work, const plan::Pipeline& pipeline, double rows) const override {
    work.built += rows * words_of_row(*pipeline.sink);
    return rows;
  }
};

}  // namespace

const StepOperator& join_operator() {
  static const JoinOperator join;
  return join;
}

const SinkOperator& build_operator() {
  static const BuildOperator build;
  return build;
}

void begin_marked_rows(const plan::Node& node, codegen::ProgramMaker& program) {
  const plan::Join& join = join_of(node);
  const Schema &left = node.children[0]->schema, &right = node.children[1]->schema;
  const JoinColumns kept(join, left, right);
  std::vector<ExprPtr> columns;
  if (plan::gives_left(join.kind))
    for (const size_t number : join.left) columns.push_back(literal(Value(left[number].type)));
  for (const size_t number : kept.right) columns.push_back(column(number, right[kept.kept[number]].type));
  for (const size_t number : kept.kept) program.add_hidden(right[number].type);
  const ExprPtr mark = column(program.width(), TypeId::kBool);
  program.add_hidden(TypeId::kBool);
  program.keep_if(join.kind == JoinKind::kRightSemi ? mark : call("NOT", {mark}));
  program.set_columns(std::move(columns));
}

}  // namespace lanewise::ops
