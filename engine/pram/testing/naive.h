// The meaning of a program in plain code: one processor after the other, every use of a cell recorded.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "pram/interpreter/conflicts.h"
#include "pram/language/program.h"
#include "pram/machine/memory.h"

namespace lanewise::pram {

/// How a run ended: normally, with the memory and the costs; or at a step, for a reason.
struct Ending {
  std::string reason;  ///< "", "error", "read", "write", "unequal", "twice"
  uint64_t steps = 0;  ///< done
  uint64_t work = 0;
  uint64_t depth = 0;
  uint32_t first = 0;   ///< the processor that failed, or the smaller one of a conflict
  uint32_t second = 0;  ///< the other processor of a conflict
  uint64_t cell = 0;    ///< the cell of the conflict
  std::vector<Array> memory;

  bool operator==(const Ending&) const = default;
};

class Naive {
 public:
  Naive(const Program& program, const Arrays& inputs, uint64_t seed)
      : tree_(program.tree()), seed_(seed), memory_(make_memory(program, inputs, nullptr)) {}

  Ending run() {
    privates_.assign(1, std::vector<Word>(tree_.privates.size()));
    control_ = privates_[0];
    try {
      statements(tree_.body, {0});
    } catch (const Ending& ending) {
      ending_.reason = ending.reason;
      ending_.first = ending.first;
      ending_.second = ending.second;
      ending_.cell = ending.cell;
    }
    ending_.memory = memory_.variables;
    return ending_;
  }

 private:
  using Cell = std::pair<uint32_t, uint64_t>;
  using Processors = std::vector<uint32_t>;
  struct Failed {};

  void statements(const std::vector<Statement>& list, const Processors& active) {
    for (const Statement& statement : list) {
      if (!active.empty()) run(statement, active);
    }
  }

  void run(const Statement& statement, const Processors& active) {
    switch (statement.kind) {
      case Statement::Kind::kAssign:
        return assign(statement, active);
      case Statement::Kind::kIf: {
        const auto [yes, no] = split(*statement.condition, active);
        const uint64_t before = ending_.depth;
        statements(statement.body, yes);
        const uint64_t first = std::exchange(ending_.depth, before);
        statements(statement.otherwise, no);
        ending_.depth = std::max(ending_.depth, first);
        return;
      }
      case Statement::Kind::kWhile: {
        Processors inside = active;
        for (;;) {
          inside = split(*statement.condition, inside).first;
          if (inside.empty()) return;
          statements(statement.body, inside);
        }
      }
      case Statement::Kind::kBlock: {
        extents_.clear();
        uint32_t count = 1;
        for (const Block::Dimension& dimension : tree_.blocks[statement.block].dimensions) {
          extents_.push_back(evaluate(*dimension.extent, 0));
          count *= static_cast<uint32_t>(extents_.back());
        }
        control_ = privates_[0];
        privates_.assign(count, std::vector<Word>(tree_.privates.size()));
        Processors all;
        for (uint32_t p = 0; p < count; ++p) all.push_back(p);
        statements(statement.body, all);
        privates_.assign(1, control_);
        return;
      }
    }
  }

  void count(const Processors& active) {
    ++ending_.steps;
    ++ending_.depth;
    ending_.work += active.size();
  }

  /// Calls f(p) for each of them; the first failure ends the run. In EREW, no two may have read the same
  /// cell.
  template <class F>
  void for_all(const Processors& active, F f) {
    std::map<Cell, uint32_t> readers;
    std::map<Cell, uint32_t> again;
    for (const uint32_t p : active) {
      reads_.clear();
      try {
        f(p);
      } catch (const Failed&) {
        Ending failed;
        failed.reason = "error";
        failed.first = p;
        throw failed;
      }
      for (const Cell& cell : reads_) {
        if (!readers.emplace(cell, p).second && readers[cell] != p) again.emplace(cell, p);
      }
    }
    if (tree_.mode == Mode::kErew && !again.empty()) {
      const auto& [cell, p] = *again.begin();
      meet("read", cell, readers[cell], p);
    }
  }

  [[noreturn]] static void meet(const char* reason, const Cell& cell, uint32_t a, uint32_t b) {
    Ending met;
    met.reason = reason;
    met.first = a;
    met.second = b;
    met.cell = cell.second;
    throw met;
  }

  std::pair<Processors, Processors> split(const Expr& condition, const Processors& active) {
    std::pair<Processors, Processors> result;
    for_all(active,
            [&](uint32_t p) { (evaluate(condition, p) != 0 ? result.first : result.second).push_back(p); });
    count(active);
    return result;
  }

  struct Write {
    uint32_t processor;
    Word value;
  };

  /// What the processors write in one step, before anything is written.
  struct Writes {
    std::map<Cell, std::vector<Write>> shared;  // by cell, then processor
    std::vector<std::pair<Word*, Word>> owns;
  };

  void assign(const Statement& statement, const Processors& active) {
    const Writes writes = collect_writes(statement, active);
    look_for_conflicts(writes);
    std::vector<std::pair<Word*, Word>> results;
    for (const auto& [cell, list] : writes.shared) {
      results.emplace_back(&memory_.variables[cell.first].words[cell.second], written_value(cell, list));
    }
    for (const auto& [word, value] : results) *word = value;
    for (const auto& [word, value] : writes.owns) *word = value;
    count(active);
  }

  Writes collect_writes(const Statement& statement, const Processors& active) {
    Writes writes;
    for_all(active, [&](uint32_t p) {
      std::vector<uint64_t> cells;
      for (const Target& target : statement.targets) {
        cells.push_back(target.shared ? cell(target.index, target.cell, p) : 0);
      }
      for (size_t t = 0; t < statement.targets.size(); ++t) {
        const Target& target = statement.targets[t];
        const Word value = evaluate(*statement.values[t], p);
        if (target.shared) {
          writes.shared[{target.index, cells[t]}].push_back({p, value});
        } else {
          writes.owns.emplace_back(&privates_[p][target.index], value);
        }
      }
    });
    return writes;
  }

  /// Ends the run at the first cell that one processor writes twice, else at the first that the mode forbids.
  void look_for_conflicts(const Writes& writes) {
    for (const auto& [cell, list] : writes.shared) {
      for (size_t i = 1; i < list.size(); ++i) {
        if (list[i].processor == list[i - 1].processor)
          meet("twice", cell, list[i].processor, list[i].processor);
      }
    }
    for (const auto& [cell, list] : writes.shared) {
      if (list.size() > 1 && (tree_.mode == Mode::kErew || tree_.mode == Mode::kCrew)) {
        meet("write", cell, list[0].processor, list[1].processor);
      }
      for (size_t i = 1; i < list.size() && tree_.mode == Mode::kCommon; ++i) {
        if (list[i].value != list[0].value) meet("unequal", cell, list[0].processor, list[i].processor);
      }
    }
  }

  /// Which of the values that processors write to a cell it has after the step.
  Word written_value(const Cell& cell, const std::vector<Write>& list) {
    if (tree_.mode == Mode::kCombining) return combined_value(cell, list);
    Write chosen = list[0];
    for (const Write& write : list) {
      if (tree_.mode == Mode::kArbitrary &&
          rank_of(write.processor, seed_) < rank_of(chosen.processor, seed_)) {
        chosen = write;
      }
    }
    return chosen.value;
  }

  Word combined_value(const Cell& cell, const std::vector<Write>& list) {
    std::vector<Word> values;
    for (const Write& write : list) values.push_back(write.value);
    const std::optional<Word> combined =
        combine(tree_.combine_of(cell.first), tree_.variables[cell.first].type, values);
    if (combined) return *combined;
    Ending failed;
    failed.reason = "error";
    failed.first = list[0].processor;
    throw failed;
  }

  uint64_t cell(uint32_t variable, const std::vector<ExprPtr>& indexes, uint32_t p) {
    const Array& array = memory_.variables[variable];
    uint64_t result = 0;
    std::vector<Word> values;
    for (const ExprPtr& index : indexes) values.push_back(evaluate(*index, p));
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 0 || values[i] >= array.extents[i]) throw Failed();
      result = result * static_cast<uint64_t>(array.extents[i]) + static_cast<uint64_t>(values[i]);
    }
    return result;
  }

  Word evaluate(const Expr& expr, uint32_t p) {
    switch (expr.op) {
      case Op::kLiteral:
        return expr.word;
      case Op::kParameter:
        return memory_.parameters[expr.index];
      case Op::kProcessor: {
        uint64_t rest = p;
        for (size_t d = extents_.size() - 1; d > expr.index; --d) rest /= static_cast<uint64_t>(extents_[d]);
        return static_cast<Word>(rest % static_cast<uint64_t>(extents_[expr.index]));
      }
      case Op::kPrivate:
        return privates_[p][expr.index];
      case Op::kControl:
        return control_[expr.index];
      case Op::kCell: {
        const uint64_t at = cell(expr.index, expr.args, p);
        reads_.emplace_back(expr.index, at);
        return memory_.variables[expr.index].words[at];
      }
      case Op::kLet:
        privates_[p][expr.index] = evaluate(*expr.args[0], p);
        return evaluate(*expr.args[1], p);
      case Op::kAnd:
        return evaluate(*expr.args[0], p) != 0 ? evaluate(*expr.args[1], p) : 0;
      case Op::kOr:
        return evaluate(*expr.args[0], p) != 0 ? 1 : evaluate(*expr.args[1], p);
      case Op::kChoose:
        return evaluate(*expr.args[evaluate(*expr.args[0], p) != 0 ? 1 : 2], p);
      default:
        break;
    }
    const Word a = evaluate(*expr.args[0], p);
    const Word b = expr.args.size() > 1 ? evaluate(*expr.args[1], p) : 0;
    return expr.args[0]->type == Type::kReal ? reals(expr, real_of(a), real_of(b)) : integers(expr, a, b);
  }

  static Word reals(const Expr& expr, double a, double b) {
    switch (expr.op) {
      case Op::kAdd:
        return word_of(a + b);
      case Op::kSubtract:
        return word_of(a - b);
      case Op::kMultiply:
        return word_of(a * b);
      case Op::kDivide:
        return word_of(a / b);
      case Op::kMax:
        if (std::isnan(a) || std::isnan(b)) return word_of(std::numeric_limits<double>::quiet_NaN());
        return word_of(a > b || (a == b && std::signbit(b)) ? a : b);
      case Op::kLess:
        return a < b;
      default:
        throw InternalError("random programs have no such operator of reals");
    }
  }

  /// With twice the bits, so that overflow is easy to detect.
  static Word integers(const Expr& expr, int128_t a, int128_t b) {
    int128_t result = 0;
    switch (expr.op) {
      case Op::kConvert:
        if (expr.type == Type::kReal) return word_of(static_cast<double>(static_cast<Word>(a)));
        result = a;
        break;
      case Op::kNot:
        return a == 0;
      case Op::kNegate:
        result = -a;
        break;
      case Op::kAdd:
        result = a + b;
        break;
      case Op::kSubtract:
        result = a - b;
        break;
      case Op::kMultiply:
        result = a * b;
        break;
      case Op::kDivide:
      case Op::kModulo: {
        if (b == 0) throw Failed();
        int128_t quotient = a / b;
        if (quotient * b > a && b > 0) --quotient;
        if (quotient * b < a && b < 0) --quotient;
        result = expr.op == Op::kDivide ? quotient : a - quotient * b;
        break;
      }
      case Op::kMin:
        return static_cast<Word>(std::min(a, b));
      case Op::kMax:
        return static_cast<Word>(std::max(a, b));
      case Op::kEqual:
        return a == b;
      case Op::kNotEqual:
        return a != b;
      case Op::kLess:
        return a < b;
      case Op::kLessEqual:
        return a <= b;
      case Op::kGreater:
        return a > b;
      case Op::kGreaterEqual:
        return a >= b;
      default:
        throw InternalError("random programs have no such operator of integers");
    }
    if (result != static_cast<Word>(result)) throw Failed();
    return static_cast<Word>(result);
  }

  const Tree& tree_;
  uint64_t seed_;
  Memory memory_;
  std::vector<std::vector<Word>> privates_;  // by processor
  std::vector<Word> control_;
  std::vector<int64_t> extents_;
  std::vector<Cell> reads_;  // of the current processor
  Ending ending_;
};

}  // namespace lanewise::pram
