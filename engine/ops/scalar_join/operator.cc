#include "base/error.h"
#include "codegen/program_maker.h"
#include "ops/scalar_join/scalar_join.h"

namespace lanewise::ops {

namespace {

class ScalarJoinOperator : public StepOperator {
 public:
  OpenStep open(const plan::Node& node, const StepInput& input) const override {
    return {.step = std::make_unique<ScalarJoin>(*input.rows, message_of(node))};
  }
  void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
              const StepInput& input) const override {
    const Table& table = *input.rows;
    if (table.rows() > 1) throw UserError(message_of(*step.node));
    std::vector<ExprPtr> columns = program.columns();
    for (size_t i = 0; i < table.schema.size(); ++i)
      columns.push_back(literal(table.rows() == 0 ? Value(table.schema[i].type) : table.value(0, i)));
    program.set_columns(std::move(columns));
  }

 private:
  static const std::string& message_of(const plan::Node& node) {
    return std::get<plan::ScalarJoin>(node.payload).message;
  }
};

}  // namespace

const StepOperator& scalar_join_operator() {
  static const ScalarJoinOperator scalar_join;
  return scalar_join;
}

}  // namespace lanewise::ops
