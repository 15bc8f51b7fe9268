#pragma once

#include <memory>
#include <unordered_map>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "expr/expr.h"
#include "lanes/automata/rows.h"
#include "lanes/targets/target.h"
#include "lanes/tuning.h"

namespace lanewise {

/// What one thread keeps between chunks for one expression: a matcher's caches, results per dictionary entry.
struct EvalState {
  virtual ~EvalState() = default;
};

/// The context of an evaluation, apart from its inputs. One per thread; the expressions evaluated with it
/// outlive it.
struct EvalContext {
  Arena* arena = nullptr;  ///< for results and scratch data; reset by the caller between chunks
  lanes::Target target = lanes::Target::scalar;
  MemoryBudget* budget = nullptr;
  const Cancellation* cancellation = nullptr;
  lanes::Stats* lanes = nullptr;  ///< where matchers count lane steps; null: no counting
  lanes::Tuning tuning = {};      ///< for this machine
  std::unordered_map<const Expr*, std::unique_ptr<EvalState>> states = {};

  /// The state of `expr`, default-constructed on first use. One type S per expression.
  template <class S>
  S& state(const Expr& expr) {
    std::unique_ptr<EvalState>& held = states[&expr];
    if (!held) held = std::make_unique<S>();
    return static_cast<S&>(*held);
  }
};

}  // namespace lanewise
