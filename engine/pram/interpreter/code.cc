#include "pram/interpreter/code.h"

namespace lanewise::pram {

namespace {

class Flattener {
 public:
  std::vector<Instruction> run(const Tree& tree) {
    statements(tree.body);
    add(Instruction::Kind::kStop, nullptr);
    return std::move(code_);
  }

 private:
  uint32_t here() const { return static_cast<uint32_t>(code_.size()); }
  uint32_t add(Instruction::Kind kind, const Statement* statement, uint32_t target = 0) {
    code_.push_back({kind, statement, target});
    return here() - 1;
  }

  void statements(const std::vector<Statement>& list) {
    for (const Statement& statement : list) add(statement);
  }

  void add(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::kAssign:
        add(Instruction::Kind::kAssign, &statement);
        return;
      case Statement::Kind::kIf: {
        const uint32_t branch = add(Instruction::Kind::kBranch, &statement);
        statements(statement.body);
        const uint32_t otherwise = code_[branch].target = add(Instruction::Kind::kElse, &statement);
        statements(statement.otherwise);
        code_[otherwise].target = add(Instruction::Kind::kEndIf, &statement);
        return;
      }
      case Statement::Kind::kWhile: {
        add(Instruction::Kind::kEnter, &statement);
        const uint32_t test = add(Instruction::Kind::kTest, &statement);
        statements(statement.body);
        add(Instruction::Kind::kRepeat, &statement, test);
        code_[test].target = here();
        return;
      }
      case Statement::Kind::kBlock: {
        const uint32_t block = add(Instruction::Kind::kBlock, &statement);
        statements(statement.body);
        add(Instruction::Kind::kEnd, &statement);
        code_[block].target = here();
        return;
      }
    }
  }

  std::vector<Instruction> code_;
};

}  // namespace

std::vector<Instruction> flatten(const Tree& tree) { return Flattener().run(tree); }

}  // namespace lanewise::pram
