#include "ops/operator.h"
#include "base/error.h"
#include "codegen/program_maker.h"
#include "ops/scalar_join/scalar_join.h"

namespace lanewise::ops {

namespace {

class ScalarJoinOperator : public StepOperator {
 public:
  StepColumns columns(const plan::StepSpec& step) const override { return input_columns(*step.node); }
  OpenStep open(const plan::StepSpec& step, const StepInput& input) const override {
    return {.step = std::make_unique<ScalarJoin>(row_of(input), message_of(step))};
  }
  void add_to(codegen::ProgramMaker& program, const plan::StepSpec& step,
              const StepInput& input) const override {
    const Table& table = row_of(input);
    if (table.rows() > 1) throw UserError(message_of(step));
    std::vector<ExprPtr> columns = program.columns();
    for (size_t i = 0; i < table.schema.size(); ++i)
      columns.push_back(literal(table.rows() == 0 ? Value(table.schema[i].type) : table.value(0, i)));
    program.set_columns(std::move(columns));
  }

 private:
  static const Table& row_of(const StepInput& input) {
    if (input.rows == nullptr) throw InternalError("the row of a scalar subquery is there when it is read");
    return *input.rows;
  }
  static const std::string& message_of(const plan::StepSpec& step) {
    return std::get<plan::ScalarJoin>(step.node->payload).message;
  }
};

}  // namespace

const StepOperator& scalar_join_operator() {
  static const ScalarJoinOperator scalar_join;
  return scalar_join;
}

}  // namespace lanewise::ops
