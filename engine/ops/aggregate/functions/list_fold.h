#pragma once

#include <memory>

#include "expr/nested/fold.h"
#include "plan/node.h"

namespace lanewise::ops {

/// The aggregate of `call` over elements, which replace its first argument.
std::shared_ptr<const expr::Fold> make_fold(plan::AggregateCall call);

}  // namespace lanewise::ops
