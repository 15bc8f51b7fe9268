#pragma once

#include "base/cancel.h"

namespace lanewise::cli {

/// While it lives, Ctrl-C asks the work to stop; a second one ends the program at once. One at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();
  const Cancellation& cancellation() const;
};

}  // namespace lanewise::cli
