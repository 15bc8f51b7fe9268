#include "pram/interpreter/code.h"

namespace lanewise::pram {

namespace {

using Kind = Instruction::Kind;

class Flattener {
 public:
  std::vector<Instruction> run(const Tree& tree) {
    statements(tree.body);
    add(Kind::kStop, nullptr);
    return std::move(code_);
  }

 private:
  uint32_t here() const { return static_cast<uint32_t>(code_.size()); }
  uint32_t add(Kind kind, const Statement* statement, uint32_t target = 0) {
    code_.push_back({kind, statement, target});
    return here() - 1;
  }

  void statements(const std::vector<Statement>& list) {
    for (const Statement& statement : list) add(statement);
  }

  void add(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::kAssign:
        add(Kind::kAssign, &statement);
        return;
      case Statement::Kind::kIf: {
        const uint32_t branch = add(Kind::kBranch, &statement);
        statements(statement.body);
        const uint32_t otherwise = code_[branch].target = add(Kind::kElse, &statement);
        statements(statement.otherwise);
        code_[otherwise].target = add(Kind::kEndIf, &statement);
        return;
      }
      case Statement::Kind::kWhile: {
        add(Kind::kEnter, &statement);
        const uint32_t test = add(Kind::kTest, &statement);
        statements(statement.body);
        add(Kind::kRepeat, &statement, test);
        code_[test].target = here();
        return;
      }
      case Statement::Kind::kBlock: {
        const uint32_t block = add(Kind::kBlock, &statement);
        statements(statement.body);
        add(Kind::kEnd, &statement);
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
