#pragma once

#include "base/error.h"

namespace lanewise::ops {

/// A pair of a row and one of a build side raised an error, which the host finds the words for.
class FaultOfPair : public UserError {
 public:
  FaultOfPair() : UserError("a row of a join raises an error") {}
};

}  // namespace lanewise::ops
