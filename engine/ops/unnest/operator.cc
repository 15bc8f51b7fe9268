#include "ops/operator.h"
#include <algorithm>

#include "expr/codegen/traits.h"
#include "ops/unnest/unnest.h"

namespace lanewise::ops {

namespace {

const plan::Unnest& unnest_of(const plan::StepSpec& step) {
  return std::get<plan::Unnest>(step.node->payload);
}

class UnnestOperator : public StepOperator {
 public:
  StepColumns columns(const plan::StepSpec& step) const override {
    StepColumns columns{unnest_of(step).kept};
    columns.below.resize(step.node->schema.size(), kComputed);
    return columns;
  }
  OpenStep open(const plan::StepSpec& step, const StepInput& /*input*/) const override {
    const plan::Unnest& unnest = unnest_of(step);
    return {.expander = std::make_unique<Unnest>(unnest.lists, unnest.kept)};
  }
  void add_to(codegen::ProgramMaker& /*program*/, const plan::StepSpec& /*step*/,
              const StepInput& /*input*/) const override {
    throw expr::NotOnDevice("UNNEST is not supported on GPUs");
  }
  std::vector<bool> of_input(const plan::StepSpec& step, const std::vector<bool>& before) const override {
    const bool elements = std::ranges::find(before, false) == before.end();
    std::vector<bool> after;
    for (const size_t column : columns(step).below)
      after.push_back(column == kComputed ? elements : before[column]);
    return after;
  }
};

}  // namespace

const StepOperator& unnest_operator() {
  static const UnnestOperator unnest;
  return unnest;
}

}  // namespace lanewise::ops
