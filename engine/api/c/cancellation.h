#pragma once

#include "api/c/lanewise.h"
#include "base/cancel.h"

struct lw_cancellation {
  lanewise::Cancellation cancellation;
};
