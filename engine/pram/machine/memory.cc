#include "pram/machine/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pram/machine/columns.h"
#include "pram/machine/operators.h"

namespace lanewise::pram {

namespace {

constexpr int64_t kMostCells = int64_t{1} << 40;

class Binder {
 public:
  Binder(const Program& program, const Arrays& inputs, MemoryBudget* budget)
      : program_(program), tree_(program.tree()), inputs_(inputs) {
    memory_.reservation = Reservation(budget, "the memory of a PRAM program");
    memory_.parameters.resize(tree_.parameters.size());
    known_.resize(tree_.parameters.size());
  }

  /// `cells`: of variables; without them only their extents are known.
  Memory run(bool cells = true) {
    for (const auto& [name, array] : inputs_) refuse_unknown(name);
    for (size_t i = 0; i < tree_.parameters.size(); ++i) {
      if (tree_.parameters[i].kind == Parameter::Kind::kInput) take_scalar(i);
    }
    // A size may be found in an array that is declared below a constant's use of it.
    for (const Variable& variable : tree_.variables) {
      if (variable.given()) find_sizes(variable);
    }
    for (size_t i = 0; i < tree_.parameters.size(); ++i) {
      const Parameter& parameter = tree_.parameters[i];
      if (parameter.kind == Parameter::Kind::kConst) set(i, evaluate(*parameter.value));
    }
    for (const Variable& variable : tree_.variables) memory_.variables.push_back(make(variable, cells));
    return std::move(memory_);
  }

 private:
  [[noreturn]] void fail(const Place& place, const std::string& message) const {
    throw UserError(program_.render({.place = place, .message = message, .advice = ""}));
  }

  void refuse_unknown(const std::string& name) const {
    for (const Parameter& parameter : tree_.parameters) {
      if (parameter.name == name && parameter.kind == Parameter::Kind::kInput) return;
    }
    std::string known;
    const auto add = [&](const std::string& input) { known += (known.empty() ? "" : ", ") + input; };
    for (const Parameter& parameter : tree_.parameters) {
      if (parameter.kind == Parameter::Kind::kInput) add(parameter.name);
    }
    for (const Variable& variable : tree_.variables) {
      if (variable.given() && variable.name == name) return;
      if (variable.given()) add(variable.name);
    }
    throw UserError(fmt::format("{} has no input '{}'; its inputs: {}", program_.file(), name,
                                known.empty() ? "none" : known));
  }

  const Array& given(const std::string& name, const Place& place) const {
    const auto found = inputs_.find(name);
    if (found == inputs_.end()) fail(place, fmt::format("the input '{}' is missing", name));
    return found->second;
  }

  void set(size_t parameter, Word value) {
    memory_.parameters[parameter] = value;
    known_[parameter] = true;
  }

  void take_scalar(size_t i) {
    const Parameter& parameter = tree_.parameters[i];
    const Array& array = given(parameter.name, parameter.place);
    if (!array.extents.empty() || array.words.size() != 1) {
      fail(parameter.place, fmt::format("the input '{}' is one value, not an array", parameter.name));
    }
    set(i, typed(array.type, array.words[0], parameter.type, parameter.name, parameter.place));
  }

  Word typed(Type from, Word word, Type to, const std::string& name, const Place& place) const {
    if (from == to) return word;
    if (to == Type::kReal && is_integer(from)) return word_of(static_cast<double>(word));
    if (to == Type::kInt && from == Type::kInt32) return word;
    if (to == Type::kInt32 && from == Type::kInt && !operators::fit_int32(word)) return word;
    fail(place, fmt::format("the input '{}' is {}; {} does not go into it", name, pram::name(to),
                            to_text(from, word)));
  }

  void find_sizes(const Variable& variable) {
    const Array& array = given(variable.name, variable.place);
    if (array.extents.size() != variable.extents.size()) {
      fail(variable.place, fmt::format("the input '{}' has {} dimensions, not {}", variable.name,
                                       variable.extents.size(), array.extents.size()));
    }
    for (size_t i = 0; i < variable.extents.size(); ++i) {
      const Expr& extent = *variable.extents[i];
      if (extent.op != Op::kParameter || known_[extent.index]) continue;
      if (tree_.parameters[extent.index].kind == Parameter::Kind::kSize) set(extent.index, array.extents[i]);
    }
  }

  Word evaluate(const Expr& expr) const {
    switch (expr.op) {
      case Op::kLiteral:
        return expr.word;
      case Op::kParameter:
        if (!known_[expr.index]) fail(expr.place, "this is not known yet; move the declaration down");
        return memory_.parameters[expr.index];
      case Op::kChoose:
        return evaluate(*expr.args[evaluate(*expr.args[0]) != 0 ? 1 : 2]);
      case Op::kAnd:
        return evaluate(*expr.args[0]) != 0 ? evaluate(*expr.args[1]) : 0;
      case Op::kOr:
        return evaluate(*expr.args[0]) != 0 ? 1 : evaluate(*expr.args[1]);
      default:
        break;
    }
    const Type from = expr.args[0]->type;
    const Word a = evaluate(*expr.args[0]);
    const Word b = expr.args.size() > 1 ? evaluate(*expr.args[1]) : 0;
    Word out = 0;
    const bool failed = expr.args.size() > 1 ? apply(expr.op, from, &a, &b, &out, 1)
                                             : apply(expr.op, expr.type, from, &a, &out, 1);
    if (failed) fail(expr.place, failure(expr.op, expr.type, from, a, b));
    return out;
  }

  Array make(const Variable& variable, bool with_cells) {
    Array array{variable.type, {}, {}};
    int64_t cells = 1;
    for (const ExprPtr& expr : variable.extents) {
      const int64_t extent = evaluate(*expr);
      if (extent < 0) fail(expr->place, fmt::format("'{}' would have {} cells", variable.name, extent));
      if (__builtin_mul_overflow(cells, extent, &cells) || cells > kMostCells) {
        fail(variable.place, fmt::format("'{}' is too large", variable.name));
      }
      array.extents.push_back(extent);
    }
    if (!with_cells) return array;
    memory_.reservation.resize(memory_.reservation.bytes() + static_cast<size_t>(cells) * sizeof(Word));
    if (!variable.given()) {
      array.words.assign(static_cast<size_t>(cells), variable.initial ? evaluate(*variable.initial) : 0);
      return array;
    }
    const Array& input = given(variable.name, variable.place);
    if (input.extents != array.extents || input.words.size() != static_cast<size_t>(cells)) {
      fail(variable.place, fmt::format("the input '{}' has {} cells, not {}", variable.name,
                                       fmt::join(input.extents, " x "), fmt::join(array.extents, " x ")));
    }
    array.words.reserve(input.words.size());
    for (const Word word : input.words) {
      array.words.push_back(typed(input.type, word, variable.type, variable.name, variable.place));
    }
    return array;
  }

  const Program& program_;
  const Tree& tree_;
  const Arrays& inputs_;
  Memory memory_;
  std::vector<bool> known_;
};

}  // namespace

Memory make_memory(const Program& program, const Arrays& inputs, MemoryBudget* budget) {
  return Binder(program, inputs, budget).run();
}

Memory sizes_of(const Program& program, const Arrays& inputs) {
  return Binder(program, inputs, nullptr).run(false);
}

Arrays outputs_of(const Program& program, const Memory& memory) {
  Arrays result;
  for (size_t i = 0; i < memory.variables.size(); ++i) {
    const Variable& variable = program.tree().variables[i];
    if (variable.result()) result.emplace(variable.name, memory.variables[i]);
  }
  return result;
}

std::string cell_name(const Variable& variable, const Array& array, uint64_t cell) {
  if (array.extents.empty()) return variable.name;
  if (array.extents.size() == 1) return fmt::format("{}[{}]", variable.name, cell);
  const auto columns = static_cast<uint64_t>(array.extents[1]);
  return fmt::format("{}[{}, {}]", variable.name, cell / columns, cell % columns);
}

}  // namespace lanewise::pram
