#pragma once

#include <utility>
#include <vector>

#include "plan/node.h"

namespace lanewise::ops {

/// Which rows an aggregate of a test takes.
struct Taken {
  bool distinct = false;
  ExprPtr filter = nullptr;
};

inline plan::AggregateCall call_of(const char* function, std::vector<ExprPtr> args, Type type,
                                   Taken rows = {}) {
  plan::AggregateCall call;
  call.function = function;
  call.args = std::move(args);
  call.type = type;
  call.distinct = rows.distinct;
  call.filter = std::move(rows.filter);
  return call;
}

}  // namespace lanewise::ops
