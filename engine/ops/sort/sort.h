#pragma once

#include <memory>

#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// ORDER BY, stable. With a limit each thread keeps about that many rows and drops what is behind the worst
/// of them.
std::unique_ptr<Sink> make_sort(const plan::Sort& sort, const Schema& input);

}  // namespace lanewise::ops
