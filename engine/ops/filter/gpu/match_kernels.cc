#include "ops/filter/gpu/match_kernels.h"

#include <fmt/format.h>

namespace lanewise::ops {

MatchKind match_kind(const codegen::KernelBuilder& builder, const codegen::Match& match) {
  return match_kind(match.pattern->pattern(), !builder.sees_all_rows(match), builder.strategy());
}

kernel::Asked asked_of(const codegen::KernelBuilder& builder, const codegen::Match& match) {
  if (builder.sees_all_rows(match)) return kernel::Asked::kAll;
  return builder.strategy().lists && match_kind(builder, match).is_automaton() ? kernel::Asked::kList
                                                                               : kernel::Asked::kBitmap;
}

bool is_counted(const codegen::KernelBuilder& builder, const codegen::Match& match) {
  return builder.strategy().occupancy && match_kind(builder, match).is_automaton();
}

std::string match_kernel(const codegen::KernelBuilder& builder, const codegen::Match& match) {
  return fmt::format("match_{}", builder.place_of(match));
}

void add_match_kernels(std::vector<codegen::KernelText>& texts, const codegen::KernelBuilder& builder) {
  for (const codegen::Match& match : builder.matches()) {
    const bool wide = builder.forms()[builder.place_of(match.column)].wide_offsets;
    texts.push_back(match_text(match_kernel(builder, match), match_kind(builder, match), wide,
                               asked_of(builder, match), is_counted(builder, match)));
  }
}

codegen::KernelText match_text(const std::string& name, const MatchKind& kind, bool wide_offsets,
                               kernel::Asked asked, bool counted) {
  constexpr char kEntry[] = "match_pattern";
  const bool automaton = kind.is_automaton();
  const char* const job = !automaton ? "Needle" : counted ? "CountedMatch" : "Match";
  return {.head = fmt::format("#include \"ops/filter/gpu/{}-inl.h\"\n\nusing namespace lanewise::kernel;\n",
                              kind.kernel->header),
          .names = {name},
          .body = fmt::format("\nextern \"C\" __global__ void __launch_bounds__({0}Threads) {1}(const "
                              "__grid_constant__ {2}Job job) {{\n  {3};\n}}\n",
                              automaton ? "kMatch" : "k", kEntry, job, match_call(kind, wide_offsets, asked)),
          .entry = kEntry};
}

}  // namespace lanewise::ops
