#pragma once

#include <functional>

#include "base/cancel.h"

namespace lanewise::cli {

/// From now on Ctrl-C and SIGTERM end the program with kCancelled, and with no unfinished output file: at
/// once, or as an Interrupt says. To be called once, before there is any other thread.
void catch_interrupts();

/// While it lives, Ctrl-C stops the work. The program ends anyway when that takes longer than most of
/// a second, or at a second Ctrl-C. One at a time.
class Interrupt {
 public:
  /// Also calls `stop`, from another thread. `patient`: only a second Ctrl-C ends the program.
  explicit Interrupt(std::function<void()> stop = {}, bool patient = false);
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();
  const Cancellation& cancellation() const;
};

/// Says "cancelled" and ends the program with kCancelled.
[[noreturn]] void end_cancelled();

/// Throws CancelledError after Ctrl-C, if an Interrupt lives.
void stop_if_interrupted();

}  // namespace lanewise::cli
