#pragma once

#include <memory>

#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// ORDER BY with a limit, stable: keeps about offset + limit rows, and drops later rows at once. Its
/// bound() lets the input skip rows that it would drop.
std::unique_ptr<Sink> make_top_n(const plan::Sort& sort, const Schema& input);

}  // namespace lanewise::ops
