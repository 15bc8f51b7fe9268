#include "expr/casts/cast.h"
#include "expr/functions/build.h"
#include "expr/math/random.h"
#include "sql/duckdb/errors.h"
#include "sql/translate/translate.h"

namespace lanewise::sql {

using duckdb::LimitNodeType;

namespace {

ExprPtr last_column(const plan::NodePtr& node, size_t before = 0) {
  const size_t index = node->schema.size() - 1 - before;
  return column(index, node->schema[index].type);
}

ExprPtr real(double value) { return literal(Value::float64(value)); }

/// The rows with their count, and with their number, starting at 1 in the given order.
plan::NodePtr counted_and_numbered(plan::NodePtr input, std::vector<plan::SortKey> order) {
  plan::Window window;
  window.order = std::move(order);
  for (const char* function : {"count_star", "row_number"}) {
    plan::WindowCall call;
    call.call.function = function;
    call.call.type = TypeId::kInt64;
    call.frame = {plan::FrameUnit::kRows, {}, {}};
    window.calls.push_back(std::move(call));
  }
  return plan::window(std::move(input), std::move(window), {"rows", "number"});
}

/// The number of rows, as a DOUBLE.
ExprPtr row_count(const plan::NodePtr& counted) {
  return lanewise::cast(last_column(counted, 1), TypeId::kFloat64);
}

/// percent / 100 of the rows, rounded as in DuckDB: LIMIT 29% of 100 rows is 28.
ExprPtr share_of_rows(const plan::NodePtr& counted, ExprPtr percent) {
  return call("*", {call("/", {std::move(percent), real(100)}), row_count(counted)});
}

bool is_percentage(const duckdb::BoundLimitNode& node) {
  return node.Type() == LimitNodeType::CONSTANT_PERCENTAGE ||
         node.Type() == LimitNodeType::EXPRESSION_PERCENTAGE;
}

/// The number of a limit or an offset that is not a constant; it may be NULL, but not negative.
ExprPtr whole(ExprPtr value) {
  if (value->type != TypeId::kNull && !expr::can_cast(value->type, TypeId::kUInt64))
    unsupported("LIMIT and OFFSET of " + value->type.name() + " are not");
  return lanewise::cast(lanewise::cast(std::move(value), TypeId::kUInt64), TypeId::kInt64);
}

ExprPtr percentage(ExprPtr value) {
  value = lanewise::cast(std::move(value), TypeId::kFloat64);
  ExprPtr wrong = disjunction({call("<", {value, real(0)}), call(">", {value, real(100)})});
  ExprPtr raise =
      call("error", {literal(Value::varchar("Limit percent out of range, should be between 0% and 100%"))});
  return case_when({std::move(wrong), lanewise::cast(std::move(raise), TypeId::kFloat64), value});
}

bool is_constant(const duckdb::BoundLimitNode& node) {
  return node.Type() == LimitNodeType::UNSET || node.Type() == LimitNodeType::CONSTANT_VALUE;
}

int64_t constant(const duckdb::BoundLimitNode& node, int64_t unset) {
  return node.Type() == LimitNodeType::UNSET ? unset : static_cast<int64_t>(node.GetConstantValue());
}

}  // namespace

Rows Translator::limit(duckdb::LogicalLimit& op) {
  Rows input = rows(*op.children[0]);
  if (!is_constant(op.limit_val) || !is_constant(op.offset_val)) return computed_limit(op, input);
  const int64_t limit = constant(op.limit_val, -1), offset = constant(op.offset_val, 0);
  const auto* sort = std::get_if<plan::Sort>(&input.node->payload);
  if (sort != nullptr && sort->limit < 0 && sort->offset == 0)  // then it need not sort and return all rows
    return {plan::sort(input.node->children[0], sort->keys, limit, offset), std::move(input.columns), {}};
  return {plan::limit(input.node, limit, offset), std::move(input.columns), {}};
}

/// A limit or an offset that is an expression or a percentage: a filter on row numbers. NULL means
/// no limit.
Rows Translator::computed_limit(duckdb::LogicalLimit& op, const Rows& input) {
  const plan::NodePtr node =
      is_percentage(op.limit_val) ? counted_and_numbered(input.node, {}) : numbered(input).node;
  const ExprPtr number = last_column(node), none = literal(Value::int64(0));
  ExprPtr offset = none;
  if (op.offset_val.Type() == LimitNodeType::EXPRESSION_VALUE) {
    offset = coalesce({whole(expression(op.offset_val.GetValueExpression(), input)), none});
  } else if (op.offset_val.Type() != LimitNodeType::UNSET) {
    offset = literal(Value::int64(static_cast<int64_t>(op.offset_val.GetConstantValue())));
  }
  const ExprPtr kept = lanewise::call("-", {number, std::move(offset)});
  ExprPtr end;
  switch (op.limit_val.Type()) {
    case LimitNodeType::UNSET:
      break;
    case LimitNodeType::CONSTANT_VALUE:
      end = literal(Value::int64(static_cast<int64_t>(op.limit_val.GetConstantValue())));
      break;
    case LimitNodeType::CONSTANT_PERCENTAGE:
      end = share_of_rows(node, real(op.limit_val.GetConstantPercentage()));
      break;
    case LimitNodeType::EXPRESSION_PERCENTAGE:
      end = share_of_rows(node, percentage(expression(op.limit_val.GetPercentageExpression(), input)));
      break;
    default:
      end = whole(expression(op.limit_val.GetValueExpression(), input));
  }
  std::vector<ExprPtr> conditions = {lanewise::call(">", {kept, none})};
  if (end != nullptr) {
    ExprPtr below = lanewise::call("<=", {lanewise::cast(kept, end->type), end});
    conditions.push_back(disjunction({std::move(below), lanewise::call("IS NULL", {end})}));
  }
  return {plan::filter(node, conjunction(std::move(conditions))), input.columns, {}};
}

/// Each row independently with the given probability, or a number of rows: the first ones in a random order.
/// With a seed, the random number of a row depends on its position.
Rows Translator::sample(duckdb::LogicalSample& op) {
  const duckdb::SampleOptions& options = *op.sample_options;
  if (!options.is_percentage && options.method != duckdb::SampleMethod::RESERVOIR_SAMPLE)
    throw duckdb::ParserException(
        "A sample of a number of rows needs the method reservoir: %s takes a percentage",
        duckdb::EnumUtil::ToString(options.method));
  const size_t columns = op.children[0]->types.size();
  Rows input = rows(*op.children[0]);
  invariant(input.columns.size() == columns, "a sample has its input's columns");
  ExprPtr random;
  if (options.seed.IsValid()) {
    input.node = numbered(input).node;
    random = lanewise::call("random", {last_column(input.node)});
    expr::seed_random(*random, options.seed.GetIndex());
  } else {
    random = lanewise::call("random", {});
    expr::seed_random(*random, duckdb::RandomEngine::Get(context_).NextRandomInteger64());
  }
  const double size = options.sample_size.GetValue<double>();
  if (options.is_percentage && options.method != duckdb::SampleMethod::RESERVOIR_SAMPLE)
    return {plan::filter(input.node, lanewise::call("<", {std::move(random), real(size / 100)})),
            std::move(input.columns),
            {}};

  std::vector<ExprPtr> exprs;
  std::vector<std::string> names;
  for (size_t i = 0; i < input.node->schema.size(); ++i) {
    exprs.push_back(column(i, input.node->schema[i].type));
    names.push_back(input.node->schema[i].name);
  }
  exprs.push_back(std::move(random));
  names.emplace_back("random");
  plan::NodePtr node = plan::project(input.node, std::move(exprs), std::move(names));
  std::vector<plan::SortKey> order = {{last_column(node)}};
  if (!options.is_percentage)
    return {plan::sort(std::move(node), std::move(order), static_cast<int64_t>(size)),
            std::move(input.columns),
            {}};
  node = counted_and_numbered(std::move(node), std::move(order));
  ExprPtr number = lanewise::cast(last_column(node), TypeId::kFloat64);
  ExprPtr rows = lanewise::call("/", {lanewise::call("*", {row_count(node), real(size)}), real(100)});
  ExprPtr end = lanewise::call("ceil", {std::move(rows)});
  return {plan::filter(node, lanewise::call("<=", {std::move(number), std::move(end)})),
          std::move(input.columns),
          {}};
}

}  // namespace lanewise::sql
