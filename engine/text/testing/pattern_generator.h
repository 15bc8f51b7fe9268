#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lanewise::text::testing {

/// Calls f with every regular expression of up to max_atoms atoms and up to max_operators operators. In an
/// operator %1 stands for one operand, %1 and %2 for two. Operands are grouped if necessary.
class PatternGenerator {
 public:
  PatternGenerator(std::vector<std::string> atoms, std::vector<std::string> operators, int max_atoms,
                   int max_operators)
      : atoms_(std::move(atoms)),
        operators_(std::move(operators)),
        max_atoms_(max_atoms),
        max_ops_(max_operators) {}

  void each(const std::function<void(const std::string&)>& f) {
    std::vector<std::string> stack;
    grow(stack, max_atoms_, max_ops_, f);
  }

 private:
  void grow(std::vector<std::string>& stack, int atoms, int ops,
            const std::function<void(const std::string&)>& f) {
    if (stack.size() == 1) f(stack[0]);
    // The operands on the stack must still be combined into one expression.
    if (stack.size() > 1 && static_cast<int>(stack.size()) - 1 > ops) return;
    if (atoms > 0) {
      for (const std::string& atom : atoms_) {
        stack.push_back(atom);
        grow(stack, atoms - 1, ops, f);
        stack.pop_back();
      }
    }
    if (ops == 0) return;
    for (const std::string& op : operators_) {
      const bool binary = op.find("%2") != std::string::npos;
      if (stack.size() < (binary ? 2u : 1u)) continue;
      std::vector<std::string> rest(stack.begin(), stack.end() - (binary ? 2 : 1));
      std::string made = op;
      if (binary) replace(made, "%2", stack.back());
      replace(made, "%1", stack[rest.size()]);
      rest.push_back(made);
      grow(rest, atoms, ops - 1, f);
    }
  }

  static void replace(std::string& in, const std::string& what, const std::string& by) {
    const size_t at = in.find(what);
    in.replace(at, what.size(), by);
  }

  std::vector<std::string> atoms_;
  std::vector<std::string> operators_;
  int max_atoms_;
  int max_ops_;
};

}  // namespace lanewise::text::testing
