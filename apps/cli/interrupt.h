#pragma once

#include <functional>

#include "base/cancel.h"

namespace lanewise::cli {

/// From now on Ctrl-C and SIGTERM end the program with kCancelled, and without unfinished output files: at
/// once, or as an Interrupt says. Must be called once, before other threads start.
void catch_interrupts();

/// While it is alive, Ctrl-C stops the work. If that takes most of a second, or after a second Ctrl-C, the
/// program ends anyway. Only one may be alive.
class Interrupt {
 public:
  /// Also calls `stop`, in another thread. `patient`: only a second Ctrl-C ends the program.
  explicit Interrupt(std::function<void()> stop = {}, bool patient = false);
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();
  const Cancellation& cancellation() const;
};

/// Prints "cancelled" and ends the program with kCancelled.
[[noreturn]] void end_cancelled();

/// Throws CancelledError after Ctrl-C, if an Interrupt is alive.
void stop_if_interrupted();

}  // namespace lanewise::cli
