#pragma once

#include <functional>
#include <list>

#include "base/cancel.h"

namespace lanewise::cli {

/// From now on Ctrl-C and SIGTERM end the program with kCancelled, and without unfinished output files: at
/// once, or as an Interrupt says. Must be called once, before other threads start.
void catch_interrupts();

/// While it is alive, Ctrl-C stops the work. If that takes most of a second, or after a second Ctrl-C, the
/// program ends anyway. Only one may be alive.
class Interrupt {
 public:
  /// `patient`: only a second Ctrl-C ends the program.
  explicit Interrupt(bool patient = false);
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();
  const Cancellation& cancellation() const;
};

/// While it and an Interrupt are alive, Ctrl-C also calls `stop`, in another thread.
class OnInterrupt {
 public:
  explicit OnInterrupt(std::function<void()> stop);
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;
  ~OnInterrupt();

 private:
  std::list<std::function<void()>>::iterator stop_;
};

/// Prints "cancelled" and ends the program with kCancelled.
[[noreturn]] void end_cancelled();

/// Throws CancelledError after Ctrl-C, if an Interrupt is alive.
void stop_if_interrupted();

}  // namespace lanewise::cli
