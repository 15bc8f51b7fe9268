#include "ops/operator.h"
#include "expr/codegen/traits.h"
#include "ops/unnest/unnest.h"

namespace lanewise::ops {

namespace {

class UnnestOperator : public StepOperator {
 public:
  OpenStep open(const plan::StepSpec& step, const StepInput& /*input*/) const override {
    const auto& unnest = std::get<plan::Unnest>(step.node->payload);
    return {.expander = std::make_unique<Unnest>(unnest.lists, unnest.kept)};
  }
  void add_to(codegen::ProgramMaker& /*program*/, const plan::StepSpec& /*step*/,
              const StepInput& /*input*/) const override {
    throw expr::NotOnDevice("UNNEST is not supported on GPUs");
  }
};

}  // namespace

const StepOperator& unnest_operator() {
  static const UnnestOperator unnest;
  return unnest;
}

}  // namespace lanewise::ops
