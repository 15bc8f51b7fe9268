#include "codegen/sections.h"

#include <algorithm>

#include "expr/codegen/traits.h"

namespace lanewise::codegen {

namespace {

bool makes_texts(const ExprPtr& expr) { return expr != nullptr && expr::device_traits(*expr).makes_texts; }

bool has_match(const ExprPtr& expr) {
  bool found = false;
  walk(*expr, [&](const Expr& part) { found |= expr::is_match(part); });
  return found;
}

/// Aggregates take pairs as they are made where that is all that becomes of them, and no kernel before needs
/// to know them.
bool can_take_pairs(const Program& program, const Section& last) {
  const Stage& stage = program.stages[last.first];
  return last.end - last.first == 1 && stage.end == nullptr &&
         std::ranges::none_of(stage.predicates, makes_texts) &&
         std::ranges::none_of(program.outputs, makes_texts);
}

/// Where the probe's stage needs nothing that was found out before.
bool can_find_runs(const Program& program, const Probe& probe) {
  const Stage& stage = program.stages[*probe.stage];
  return stage.matches.empty() && probe.condition == nullptr && !probe.marks_rows() &&
         std::ranges::none_of(program.read_by(stage),
                              [](const ExprPtr& expr) { return has_match(expr) || makes_texts(expr); });
}

}  // namespace

std::vector<Section> sections_of(const Program& program, const SinkForm& sink, const Strategy& strategy) {
  std::vector<Section> sections(1);
  for (size_t stage = 0; stage < program.stages.size(); ++stage) {
    sections.back().end = stage + 1;
    const std::optional<size_t> probe = program.probe_at(stage);
    if (probe && program.probes[*probe].expands) sections.push_back({{stage + 1, stage + 1}, probe});
  }
  Section& last = sections.back();
  if (!last.probe || sink.takes != SinkForm::Takes::kStates || strategy.pairs == Strategy::Pairs::kWritten ||
      !can_take_pairs(program, last))
    return sections;
  last.pairs = Section::Pairs::kTaken;
  if (sections.size() == 2 && can_find_runs(program, program.probes[*last.probe])) {
    last.pairs = Section::Pairs::kFound;
    sections[0].end = --last.first;
  }
  return sections;
}

}  // namespace lanewise::codegen
