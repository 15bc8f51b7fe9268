#pragma once

#include <memory>

#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

class SinkOperator;

/// Window functions: sorts the rows by partition and order, and appends a column for each call. Throws
/// InternalError for an unknown function or types.
std::unique_ptr<Sink> make_window(const plan::Window& window, const Schema& input, const Schema& output);

/// The node Window.
const SinkOperator& window_operator();

}  // namespace lanewise::ops
