#include "pram/meta/independent.h"

#include <numeric>
#include <set>

#include "pram/meta/polynomial.h"

namespace lanewise::pram {

namespace {

/// A read or write of a shared variable in a kernel.
struct Use {
  uint32_t variable;
  const std::vector<ExprPtr>* cell;
  const Expr* value;                ///< the written value; null for a read
  uint32_t statement;               ///< uses with the same number are in the same step
  uint32_t guard;                   ///< uses with the same number are by the same processors
  bool loop;                        ///< within a while of the kernel
  std::vector<Polynomial> nonzero;  ///< not 0 for these processors, by the surrounding conditions
};

/// Adds to `nonzero` what a condition implies about processors' numbers if it is `truth`: that they differ
/// from something.
void tell_apart(const Expr& condition, bool truth, std::vector<Polynomial>& nonzero) {
  switch (condition.op) {
    case Op::kNot:
      return tell_apart(*condition.args[0], !truth, nonzero);
    case Op::kAnd:
    case Op::kOr:
      if ((condition.op == Op::kAnd) != truth) return;
      for (const ExprPtr& arg : condition.args) tell_apart(*arg, truth, nonzero);
      return;
    case Op::kEqual:
    case Op::kLessEqual:
    case Op::kGreaterEqual:
      if (truth) return;
      break;
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kGreater:
      if (!truth) return;
      break;
    default:
      return;
  }
  const auto a = Polynomial::of(*condition.args[0]);
  const auto b = Polynomial::of(*condition.args[1]);
  if (!a || !b) return;
  if (const auto distance = a->plus(*b, -1)) nonzero.push_back(*distance);
}

class Uses {
 public:
  explicit Uses(const std::vector<Statement>& list) { statements(list, 0, false); }
  const std::vector<Use>& all() const { return uses_; }

 private:
  void reads(const Expr& expr, uint32_t guard, bool loop) {
    walk(expr, [&](const Expr& part) {
      if (part.op == Op::kCell) {
        uses_.push_back({part.index, &part.args, nullptr, statement_, guard, loop, nonzero_});
      }
    });
  }

  void statements(const std::vector<Statement>& list, uint32_t guard, bool loop) {
    for (const Statement& statement : list) {
      ++statement_;
      const bool repeats = loop || statement.kind == Statement::Kind::kWhile;
      for_each_expression(statement, [&](const Expr& expr) { reads(expr, guard, repeats); });
      for (size_t i = 0; i < statement.targets.size(); ++i) {
        const Target& target = statement.targets[i];
        if (!target.shared) continue;
        uses_.push_back(
            {target.index, &target.cell, statement.values[i].get(), statement_, guard, repeats, nonzero_});
      }
      within(statement, statement.body, true, repeats);
      within(statement, statement.otherwise, false, repeats);
    }
  }

  /// Visits the part of a statement that runs if its condition is `truth`.
  void within(const Statement& statement, const std::vector<Statement>& part, bool truth, bool repeats) {
    const size_t known = nonzero_.size();
    if (statement.condition) tell_apart(*statement.condition, truth, nonzero_);
    statements(part, ++guards_, repeats);
    nonzero_.resize(known);
  }

  std::vector<Use> uses_;
  std::vector<Polynomial> nonzero_;  // at the current position
  uint32_t statement_ = 0;
  uint32_t guards_ = 0;
};

std::string key_of(const std::vector<ExprPtr>& cell) {
  std::string key;
  for (const ExprPtr& index : cell) key += key_of(*index) + ";";
  return key;
}

/// Whether the product is a processor's number, and in which dimension.
bool is_number(const Polynomial::Product& product, std::string& dimension) {
  if (product.size() != 1 || !Polynomial::is_processor(product[0])) return false;
  dimension = product[0];
  return true;
}

/// The dimension in which the index is `c * p + fixed`, with c not 0. If `declared`, c may also be
/// fixed: if it were 0, processors would conflict, which the program's mode forbids. Empty if there is none.
std::string only_dimension(const Polynomial& index, bool declared) {
  std::string found;
  for (const auto& [product, number] : index.terms()) {
    if (!Polynomial::has_processor(product)) continue;
    std::string dimension;
    if (!is_number(product, dimension)) {
      if (!declared) return "";
      for (const std::string& factor : product) {
        if (!Polynomial::is_processor(factor)) continue;
        if (!dimension.empty()) return "";
        dimension = factor;
      }
    }
    if (!found.empty()) return "";
    found = dimension;
  }
  return found;
}

/// Whether two indexes are never equal, for any two processors: both have the same
/// stride, and their distance is not a multiple of it.
bool never_equal(const Polynomial& a, const Polynomial& b, bool declared) {
  const auto distance = a.plus(b, -1);
  if (!distance || distance->terms().size() != 1) return false;
  const auto& [apart, by] = *distance->terms().begin();
  if (Polynomial::has_processor(apart)) return false;
  int64_t width = 0;
  size_t steps = 0;
  bool symbolic = false;
  for (const auto& [product, number] : a.terms()) {
    if (!Polynomial::has_processor(product)) continue;
    ++steps;
    Polynomial::Product rest;  // the factor of the processor's number
    for (const std::string& factor : product) {
      if (!Polynomial::is_processor(factor)) rest.push_back(factor);
    }
    if (product.size() != rest.size() + 1 || rest != apart) return false;
    symbolic |= !rest.empty();
    if (number == INT64_MIN) return false;
    width = std::gcd(width, number);
  }
  if (steps == 0) return apart.empty();
  if (symbolic && (!declared || steps != 1)) return false;
  return by % width != 0;
}

class Judge {
 public:
  Judge(const Uses& uses, const Tree& tree, uint32_t block)
      : uses_(uses.all()),
        tree_(tree),
        dimensions_(tree.blocks[block].dimensions.size()),
        exclusive_(tree.mode == Mode::kErew || tree.mode == Mode::kCrew) {}

  /// Whether no processor's `use` accesses a cell that another one's `write` writes.
  bool apart(const Use& use, const Use& write) const {
    const bool declared = exclusive_ && !use.loop && !write.loop;
    if (declared && use.statement == write.statement && (use.value != nullptr || owns(use))) return true;
    if (&use == &write && writes_the_same(write)) return true;
    if (avoids(use, write) || avoids(write, use)) return true;
    return apart(*use.cell, *write.cell, declared && use.guard == write.guard);
  }

 private:
  /// Whether the cell that a processor reads is one that it writes in the same step, so that no other
  /// processor may write it.
  bool owns(const Use& read) const {
    const std::string key = key_of(*read.cell);
    for (const Use& use : uses_) {
      if (use.value != nullptr && use.variable == read.variable && use.statement == read.statement &&
          key_of(*use.cell) == key) {
        return true;
      }
    }
    return false;
  }

  /// Whether a condition excludes the processors of `use` from an index that is equal for all processors
  /// of `other`.
  static bool avoids(const Use& use, const Use& other) {
    for (size_t i = 0; i < use.cell->size() && !use.nonzero.empty(); ++i) {
      const auto own = Polynomial::of(*(*use.cell)[i]);
      const auto fixed = Polynomial::of(*(*other.cell)[i]);
      if (!own || !fixed || !fixed->same_for_all()) continue;
      const auto distance = own->plus(*fixed, -1);
      const auto back = fixed->plus(*own, -1);
      if (!distance || !back) continue;
      for (const Polynomial& apart : use.nonzero) {
        if (apart == *distance || apart == *back) return true;
      }
    }
    return false;
  }

  /// All write the same value, so that it does not matter who wins.
  bool writes_the_same(const Use& write) const {
    if (tree_.combine) {
      const Op op = tree_.combine_of(write.variable);
      if (op == Op::kAdd || op == Op::kMultiply || op == Op::kXor || write.value->type == Type::kReal) {
        return false;
      }
    }
    return is_fixed(*write.value);
  }

  bool apart(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b, bool declared) const {
    declared = declared && a.size() == 1;  // conflicts distinguished by a second index are not forbidden
    std::set<std::string> told;            // dimensions in which conflicting processors have the same number
    for (size_t i = 0; i < a.size(); ++i) {
      const auto x = Polynomial::of(*a[i]);
      const auto y = Polynomial::of(*b[i]);
      if (!x || !y) continue;
      if (never_equal(*x, *y, declared)) return true;
      if (*x != *y) continue;
      const std::string dimension = only_dimension(*x, declared);
      if (!dimension.empty()) told.insert(dimension);
    }
    return told.size() == dimensions_;
  }

  const std::vector<Use>& uses_;
  const Tree& tree_;
  size_t dimensions_;
  bool exclusive_;
};

template <class F>
bool all_apart(const std::vector<Statement>& statements, const Tree& tree, uint32_t block, F counts) {
  const Uses uses(statements);
  const Judge judge(uses, tree, block);
  for (const Use& write : uses.all()) {
    if (write.value == nullptr) continue;
    for (const Use& use : uses.all()) {
      if (use.variable == write.variable && counts(use) && !judge.apart(use, write)) return false;
    }
  }
  return true;
}

}  // namespace

bool independent(const std::vector<Statement>& statements, const Tree& tree, uint32_t block) {
  return all_apart(statements, tree, block, [](const Use&) { return true; });
}

bool exclusive_writes(const std::vector<Statement>& statements, const Tree& tree, uint32_t block) {
  return all_apart(statements, tree, block, [](const Use& use) { return use.value != nullptr; });
}

bool simultaneous(const Statement& first, const Statement& second) {
  const auto written = [&](bool shared, uint32_t index) {
    for (const Target& target : first.targets) {
      if (target.shared == shared && target.index == index) return true;
    }
    return false;
  };
  bool free = true;
  for (const Target& target : second.targets) free = free && !written(target.shared, target.index);
  for_each_expression(second, [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (part.op == Op::kCell) free = free && !written(true, part.index);
      if (part.op == Op::kPrivate) free = free && !written(false, part.index);
    });
  });
  return free;
}

}  // namespace lanewise::pram
