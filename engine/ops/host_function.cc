#include "ops/host_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/visit-inl.h"
#include "expr/function.h"
#include "expr/vectors/vectors.h"
#include "ops/gather.h"

namespace lanewise::ops {

namespace {

/// The state of an expression: also the function's entry, since each host function has a name of
/// its own.
struct HeldHost : Prepared {
  std::shared_ptr<const HostFunction> host;
  std::string name;  // in lower case: names of the engine's operators, such as NOT, are in upper case
  Function entry;
};

char ascii_lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The concatenated values of `batches`, for the active rows. They are copied into the arena, which
/// outlives the batches.
Vector scattered(const std::vector<Batch>& batches, Type type, const ActiveSet& rows) {
  Arena& arena = rows.arena();
  const bool nulls =
      std::ranges::any_of(batches, [](const Batch& batch) { return batch.columns[0]->nulls != 0; });
  uint64_t* const validity = nulls ? expr::all_ones(rows.rows(), arena) : nullptr;
  return visit(type.physical(), [&]<class T>(T) {
    T* values = nullptr;
    Vector result = expr::new_vector(type, rows.rows(), arena, values);
    std::fill_n(values, rows.rows(), T{});
    result.validity = validity;
    auto batch = batches.begin();
    int64_t at = 0;
    rows.for_each([&](uint32_t row) {
      for (; at == batch->rows; at = 0) ++batch;
      const Column& column = *batch->columns[0];
      if (column.is_null(at)) {
        bits::clear(validity, row);
      } else if constexpr (std::is_same_v<T, std::string_view>) {
        values[row] = arena.copy_packed(column.text(at));
      } else if (column.dictionary) {
        values[row] = column.dictionary->values.as<T>()[column.values.as<uint32_t>()[at]];
      } else {
        values[row] = column.values.as<T>()[at];
      }
      ++at;
    });
    return result;
  });
}

/// The results of the function for the rows.
std::vector<Batch> run_host(const Expr& expr, const Batch& given) {
  const HostFunction& host = *dynamic_cast<const HeldHost&>(*expr.prepared).host;
  std::vector<Batch> made = host.run(given);
  int64_t count = 0;
  for (const Batch& batch : made) {
    if (batch.columns.size() != 1 || batch.columns[0]->type != expr.type)
      throw HostFunctionError(fmt::format("the function {} did not give {}", host.name, expr.type.name()));
    count += batch.rows;
  }
  if (count != given.rows)
    throw HostFunctionError(
        fmt::format("the function {} gave {} values for {} rows", host.name, count, given.rows));
  return made;
}

Value reference(const Expr& expr, std::span<const Value> args) {
  Batch given;
  given.rows = 1;
  for (const Value& arg : args) {
    if (arg.is_null() && expr.function->nulls == Function::Nulls::kStrict) return Value(expr.type);
    given.columns.push_back(make_column(arg.type(), {arg}));
  }
  const std::vector<Batch> made = run_host(expr, given);
  const auto batch = std::ranges::find(made, 1, &Batch::rows);
  return batch->columns[0]->value(0);
}

Vector call_host(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                 EvalContext& context) {
  Batch given;
  given.rows = rows.count();
  for (const Vector& arg : args) {
    Gather gather(arg.type, context.budget, "function");
    gather.append(arg, rows);
    given.columns.push_back(gather.finish());
  }
  const std::vector<Batch> made = run_host(expr, given);
  return scattered(made, expr.type, rows);
}

}  // namespace

ExprPtr call_host_function(std::shared_ptr<const HostFunction> function, std::vector<ExprPtr> args) {
  invariant(std::ranges::equal(args, function->arguments, {}, [](const ExprPtr& arg) { return arg->type; }),
            "the arguments of a host function have its types");
  auto held = std::make_shared<HeldHost>();
  held->host = std::move(function);
  held->name = held->host->written;
  if (held->name.empty())
    std::ranges::transform(held->host->name, std::back_inserter(held->name), ascii_lower);
  held->entry.name = held->name;
  held->entry.nulls = held->host->strict ? Function::Nulls::kStrict : Function::Nulls::kOwn;
  held->entry.raises = true;
  held->entry.varies = held->host->varies;
  held->entry.evaluate = call_host;
  held->entry.reference = reference;
  auto expr = std::make_shared<Expr>();
  expr->kind = Expr::Kind::kCall;
  expr->type = held->host->result;
  expr->function = &held->entry;
  expr->prepared = std::move(held);
  expr->args = std::move(args);
  return expr;
}

}  // namespace lanewise::ops
