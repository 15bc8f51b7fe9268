#include <gmock/gmock.h>

#include <numeric>

#include "base/testing/test_size.h"
#include "data/testing/fake_source.h"
#include "exec/gpu/make_program.h"
#include "gpu/modules/compiler.h"
#include "gpu/testing/nvrtc.h"
#include "ops/gpu/branch/section_sources.h"
#include "ops/gpu/testing/call_of.h"
#include "ops/join/gpu/build_kernels.h"
#include "ops/join/gpu/split_kernels.h"
#include "ops/operators/operators.h"

/// NVRTC takes the kernels of joins: what fills lookups, looks rows up, splits them.
namespace lanewise::ops {
namespace {

plan::NodePtr scan(Type key) {
  auto source = std::make_shared<FakeSource>(Schema{{"k", key}, {"v", TypeId::kInt32}, {"w", TypeId::kInt64}},
                                             std::vector<std::vector<Value>>());
  return plan::scan(source, {0, 1, 2});
}

/// SELECT count(*), sum(l.w), max(r.v) FROM l JOIN r USING (k)
plan::NodePtr joins(Type key, plan::JoinKind kind) {
  plan::Join join;
  join.kind = kind;
  join.keys = {{column(0, key), column(0, key)}};
  join.left = {1, 2};
  if (plan::gives_right(kind)) join.right = {1};
  plan::NodePtr rows = plan::join(scan(key), scan(key), join);
  std::vector<plan::AggregateCall> calls = {call_of("count_star", {}, TypeId::kInt64),
                                            call_of("sum", {column(1, TypeId::kInt64)}, TypeId::kInt128)};
  if (plan::gives_right(kind)) calls.push_back(call_of("max", {column(2, TypeId::kInt32)}, TypeId::kInt32));
  std::vector<std::string> names(calls.size(), "x");
  return plan::aggregate(std::move(rows), {}, std::move(calls), std::move(names));
}

void expect_compiles(const codegen::KernelText& text) {
  EXPECT_FALSE(gpu::Compiler::system().compile(codegen::kernel_source(text.text()), "sm_90").empty());
}

void expect_program_compiles(const codegen::Program& program, const DeviceSink& sink,
                             const codegen::Strategy& strategy, bool splits) {
  const std::vector<size_t> columns = columns_of(program);
  std::vector<codegen::ColumnForm> forms;
  for (const size_t column : columns)
    forms.push_back({.type = program.types[column], .probe = program.probe_of(column)});
  const size_t last = sections_of(program, sink.form(), strategy).size() - 1;
  for (size_t section = 0; section <= last; ++section) {
    const SectionSources sources(program, sink, columns, forms, strategy, section);
    for (const codegen::KernelText& text : sources.texts()) expect_compiles(text);
    if (section != last) continue;
    EXPECT_EQ(bool(sources.split_places()), splits);
    if (sources.split_places()) expect_compiles(split_text(sources.builder()));
  }
}

TEST(JoinKernels, Compile) {
  if (kSanitized || !gpu::find_nvrtc(LANEWISE_SOURCE_DIR))
    GTEST_SKIP() << "NVRTC is not here, or not instrumented";
  using plan::JoinKind;
  for (const Type key : {Type(TypeId::kInt32), Type(TypeId::kInt64), Type(TypeId::kVarchar)}) {
    for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft, JoinKind::kAnti}) {
      const plan::NodePtr plan = joins(key, kind);
      const std::vector<plan::Pipeline> pipelines = split(*plan);
      const plan::Pipeline& probing = pipelines.back();
      const std::unique_ptr<DeviceSink> sink = sink_operator(probing).open_on_device(probing);
      codegen::Program program = exec::make_program(probing.branches[0], sink->form(), {});
      const bool is_number = !key.is_string();
      expect_program_compiles(program, *sink, {}, is_number);
      if (kind != JoinKind::kInner) continue;
      program.probes[0].finds_value = key.id == TypeId::kInt32;
      if (program.probes[0].finds_value) expect_program_compiles(program, *sink, {}, true);
      program.probes[0].finds_value = false;
      program.probes[0].expands = true;
      for (const char* const form : {"pairs=naive", "pairs=refill", "pairs=queued", "pairs=written"})
        expect_program_compiles(program, *sink, codegen::parse_strategy(form), false);

      const codegen::Program keys = codegen::program_of_keys(*program.probes[0].join);

      const codegen::KernelBuilder build(keys, codegen::SinkForm(), {0}, {{.type = key}});
      expect_compiles(lookup_text(build));
      if (is_number) expect_compiles(split_build_text(build));
    }
  }
}

}  // namespace
}  // namespace lanewise::ops
