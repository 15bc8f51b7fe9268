#pragma once

#include <memory>

#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

class SinkOperator;

/// ORDER BY, stable. With a small limit it is a top-n, see top_n.h.
std::unique_ptr<Sink> make_sort(const plan::Sort& sort, const Schema& input);

/// The node Sort.
const SinkOperator& sort_operator();

}  // namespace lanewise::ops
