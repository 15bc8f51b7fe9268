#include "exec/gpu/plain_kernels.h"

#include <algorithm>

#include "exec/gpu/make_program.h"
#include "exec/gpu/run_on_device.h"
#include "expr/function.h"
#include "expr/functions/build.h"
#include "gpu/modules/kernels.h"
#include "ops/aggregate/gpu/groups/group_kernels.h"
#include "ops/filter/gpu/match_kernels.h"
#include "ops/gpu/rows/row_kernels.h"
#include "ops/operators/operators.h"

namespace lanewise::exec {

namespace {

const Type kInt = TypeId::kInt32, kLong = TypeId::kInt64, kReal = TypeId::kFloat64,
           kMoney = Type::decimal(15, 2), kText = TypeId::kVarchar;

plan::NodePtr columns_of_types(const std::vector<Type>& types) {
  auto table = std::make_shared<Table>();
  for (const Type& type : types) table->schema.push_back({"c", type});
  return plan::values(std::move(table));
}

plan::AggregateCall call_of(const char* function, std::vector<ExprPtr> args, Type type) {
  plan::AggregateCall call;
  call.function = function;
  call.args = std::move(args);
  call.type = type;
  return call;
}

plan::AggregateCall count_star() { return call_of("count_star", {}, TypeId::kInt64); }

plan::AggregateCall sum(const ExprPtr& of) {
  const Type type = of->type.is_float()               ? Type(TypeId::kFloat64)
                    : of->type.id == TypeId::kDecimal ? Type::decimal(38, of->type.scale)
                                                      : Type(TypeId::kInt128);
  return call_of("sum", {of}, type);
}

class Sources {
 public:
  void add(std::string source) {
    if (std::find(all_.begin(), all_.end(), source) == all_.end()) all_.push_back(std::move(source));
  }
  /// Those of a pipeline, or those of one name.
  void add(const plan::NodePtr& plan, const EveryColumn& form, const std::string& only = {}) {
    const plan::Pipeline pipeline = std::move(split(*plan).back());
    const std::unique_ptr<ops::DeviceSink> sink = ops::sink_operator(pipeline).open_on_device(pipeline);
    const codegen::Program program = make_program(pipeline.branches[0], sink->form(), {});
    const std::vector<size_t> columns = codegen::columns_of(program);
    std::vector<Type> types;
    for (const size_t column : columns) types.push_back(pipeline.branches[0].schema[column].type);
    const ops::SectionSources made(program, *sink, columns, forms_of(types, form));
    for (const codegen::KernelText& text : made.texts()) {
      if (only.empty() || text.names == std::vector{only}) add(text.text());
    }
    codegen::Strategy by_parts;
    by_parts.groups = codegen::Strategy::Groups::kParts;
    for (const codegen::KernelText& text : made.sink().other_texts(by_parts, false)) add(text.text());
  }
  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
};

/// Kernels that match patterns.
void add_matches(Sources& sources) {
  using kernel::Asked;
  for (const bool wide : {false, true}) {
    for (const text::forms::FormKind* form : text::forms::all_forms()) {
      if (!form->gpu) continue;
      const ops::MatchKind kind{&*form->gpu};
      for (const Asked asked : {Asked::kAll, Asked::kBitmap, Asked::kList}) {
        sources.add(match_text("", kind, wide, asked).text());
        if (kind.is_automaton()) sources.add(ops::match_text("", {kind.kernel, true}, wide, asked).text());
      }
    }
  }
}

/// SELECT count(*) WHERE x < constant, and the like; of all other queries what tests that
void add_comparisons(Sources& sources) {
  for (const Value& constant : {Value::int32(0), Value::int64(0), Value::float64(0),
                                Value(kMoney, int128_t{0}), Value(TypeId::kDate, int128_t{0})}) {
    const Type type = constant.type();
    for (const char* function : {"=", "<>", "<", "<=", ">", ">="}) {
      const ExprPtr passes = call(function, {column(0, type), literal(constant)});
      const plan::NodePtr rows = plan::filter(columns_of_types({type}), passes);
      for (const bool nullable : {false, true}) {
        sources.add(plan::aggregate(rows, {}, {count_star()}, {"count"}), {.nullable = nullable});
        sources.add(rows, {.nullable = nullable}, ops::filter_kernel(0));
      }
    }
  }
}

/// SELECT count(*) WHERE s [NOT] LIKE pattern, and of what a filter left
void add_counts(Sources& sources) {
  sources.add(plan::aggregate(columns_of_types({kText}), {}, {count_star()}, {"count"}), {});
  const ExprPtr text = column(0, kText), pattern = literal(Value::varchar("%a%"));
  const ExprPtr like = call("~~", {text, pattern});
  for (const ExprPtr& matches : {like, call("!~~", {text, pattern}), call("NOT", {like})}) {
    const auto plan =
        plan::aggregate(plan::filter(columns_of_types({kText}), matches), {}, {count_star()}, {"count"});
    for (const bool nullable : {false, true}) {
      for (const bool wide : {false, true}) sources.add(plan, {.nullable = nullable, .wide_offsets = wide});
    }
  }
}

/// SELECT sum(x), and the like
void add_aggregates(Sources& sources) {
  for (const Type& type : {kInt, kLong, kReal, kMoney}) {
    const ExprPtr value = column(0, type);
    for (const plan::AggregateCall& call :
         {sum(value), call_of("min", {value}, type), call_of("max", {value}, type),
          call_of("avg", {value}, TypeId::kFloat64), call_of("count", {value}, TypeId::kInt64)}) {
      const auto plan = plan::aggregate(columns_of_types({type}), {}, {call}, {"x"});
      for (const bool nullable : {false, true}) sources.add(plan, {.nullable = nullable});
    }
  }
}

/// SELECT DISTINCT k; SELECT k, count(*) and SELECT k, sum(v) GROUP BY k
void add_groups(Sources& sources) {
  for (const Type& type : {kInt, kLong, kText}) {
    const ExprPtr key = column(0, type);
    for (const bool short_texts : {false, true}) {
      const EveryColumn form = {.short_texts = short_texts};
      sources.add(plan::distinct(columns_of_types({type})), form);
      sources.add(plan::aggregate(columns_of_types({type}), {key}, {count_star()}, {"k", "x"}), form);
      for (const Type& of : {kInt, kLong, kReal}) {  // decimals lie as kLong does
        sources.add(plan::aggregate(columns_of_types({type, of}), {key}, {sum(column(1, of))}, {"k", "x"}),
                    form);
      }
    }
  }
}

/// Those of the sources above, the likelier ones first.
constexpr EveryColumn kForms[] = {
    {},
    {.nullable = true},
    {.short_texts = true},
    {.wide_offsets = true},
    {.nullable = true, .wide_offsets = true},
};

}  // namespace

std::vector<codegen::ColumnForm> forms_of(const std::vector<Type>& types, const EveryColumn& form) {
  std::vector<codegen::ColumnForm> forms;
  for (const Type& type : types) {
    forms.push_back({.type = type,
                     .nullable = form.nullable,
                     .wide_offsets = form.wide_offsets && type.is_string(),
                     .short_texts = form.short_texts && type.is_string()});
  }
  return forms;
}

bool is_compiled_ahead(const plan::Pipeline& pipeline, const ops::Results& results,
                       const codegen::Strategy& strategy, const std::string& architecture,
                       const gpu::KernelCache& ahead) {
  const auto is_there = [&](const std::string& source) {
    const auto is_for = [&](const std::string& gpu) {
      return ahead.holds(gpu::ahead_key(codegen::kernel_source(source), gpu));
    };
    return architecture.empty()
               ? std::any_of(std::begin(kAheadArchitectures), std::end(kAheadArchitectures), is_for)
               : is_for(architecture);
  };
  return std::any_of(std::begin(kForms), std::end(kForms), [&](const EveryColumn& form) {
    const std::vector<std::string> sources = kernel_sources(pipeline, results, strategy, form);
    return std::all_of(sources.begin(), sources.end(), is_there);
  });
}

std::vector<std::string> plain_kernels() {
  Sources sources;
  sources.add(ops::list_kernels());
  sources.add(ops::put_slots_kernel());
  add_matches(sources);
  add_comparisons(sources);
  add_counts(sources);
  add_aggregates(sources);
  add_groups(sources);
  return sources.take();
}

}  // namespace lanewise::exec
