#include "interrupt.h"

#include <csignal>

namespace lanewise::cli {

namespace {

Cancellation requested;  // of the one that lives: a signal handler knows nothing else

void on_interrupt(int) {
  requested.cancel();
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  requested.reset();
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const Cancellation& Interrupt::cancellation() const { return requested; }

}  // namespace lanewise::cli
