#include "process/interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"
#include "process/exit_code.h"
#include "process/print.h"
#include "process/terminal.h"

namespace lanewise::cli {

namespace {

constexpr int kPatience = 700;  // milliseconds

/// The Interrupt that is alive.
struct Current {
  std::mutex mutex;
  bool lives = false, patient = false;
  std::list<std::function<void()>> stops;
  Cancellation requested;
};
Current& current() {
  static Current one;
  return one;
}

int signals[2];  // a pipe to the listening thread, since a signal handler may only write

void on_signal(int) {
  const int error = errno;
  if (::write(signals[1], "", 1) < 0) {
  }  // full of others
  errno = error;
}

/// Whether there was a signal within this time; -1: waits for one.
bool signalled(int milliseconds) {
  pollfd file{signals[0], POLLIN, 0};
  char byte;
  while (::poll(&file, 1, milliseconds) < 0 && errno == EINTR) {
  }
  return (file.revents & POLLIN) != 0 && ::read(signals[0], &byte, 1) == 1;
}

/// Stops the work; returns how many milliseconds it may take. -1: any time.
int ask_to_stop() {
  const std::lock_guard lock(current().mutex);
  if (!current().lives) return 0;
  const bool again = current().requested.requested();
  current().requested.cancel();
  for (const auto& stop : current().stops) stop();
  return again ? 0 : current().patient ? -1 : kPatience;
}

void listen() {
  for (;;) {
    if (!signalled(-1)) continue;
    const int patience = ask_to_stop();
    if (patience < 0) continue;
    if (patience > 0) signalled(patience);
    end_cancelled();
  }
}

}  // namespace

void end_cancelled() {
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) print_error("{}cancelled\n", stderr_is_terminal() ? "\r\033[K" : "");
  exit_without_new_files(kCancelled);
}

void catch_interrupts() {
  if (::pipe(signals) != 0) return;
  current();
  std::thread(listen).detach();
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupt::Interrupt(bool patient) {
  const std::lock_guard lock(current().mutex);
  current().requested.reset();
  current().patient = patient;
  current().lives = true;
}

Interrupt::~Interrupt() {
  const std::lock_guard lock(current().mutex);
  current().lives = false;
  if (current().patient) current().requested.reset();  // the program continues
}

const Cancellation& Interrupt::cancellation() const { return current().requested; }

OnInterrupt::OnInterrupt(std::function<void()> stop) {
  const std::lock_guard lock(current().mutex);
  stop_ = current().stops.insert(current().stops.end(), std::move(stop));
}

OnInterrupt::~OnInterrupt() {
  const std::lock_guard lock(current().mutex);
  current().stops.erase(stop_);
}

void stop_if_interrupted() { current().requested.check(); }

}  // namespace lanewise::cli
