#pragma once

#include <memory>
#include <string_view>

#include "plan/node.h"

namespace lanewise::ops {

class Frames;
class WindowFunction;

/// One window function that is not an aggregate.
struct NamedWindowFunction {
  std::string_view name;
  std::unique_ptr<WindowFunction> (*make)(const plan::WindowCall& call, Frames frames);
  /// The value depends on no row that follows its own and differs in order.
  bool looks_back = false;
  /// The value is more than n for rows that follow n others.
  bool counts_rows = false;
};

/// Null if there is none: the call is of an aggregate.
const NamedWindowFunction* find_window_function(std::string_view name);

}  // namespace lanewise::ops
