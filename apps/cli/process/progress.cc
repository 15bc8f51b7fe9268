#include "process/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "process/print.h"
#include "process/terminal.h"

namespace lanewise::cli {

namespace {
constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kBar = 24;
}  // namespace

void Progress::start() {
  const std::lock_guard lock(mutex_);
  started_ = Clock::now();
}

void Progress::report(const std::string& what, double share) {
  static const bool kTerminal = stderr_is_terminal();
  if (!kTerminal) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now - started_ < kPatience || now - shown_ < kInterval) return;
  shown_ = now;
  visible_ = true;
  std::string bar;
  if (share >= 0) {
    const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBar);
    for (int i = 0; i < kBar; ++i) bar += i < full ? "━" : "╌";
    bar += fmt::format(" {:3.0f} % ", std::clamp(share, 0.0, 1.0) * 100);
  }
  const double seconds = std::chrono::duration<double>(now - started_).count();
  print_error("\r\033[K{}{} {:.0f} s", bar, what, seconds);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (visible_) print_error("\r\033[K");
  visible_ = false;
}

Watch::Watch(std::function<State()> look) {
  if (!stderr_is_terminal()) return;
  thread_ = std::thread([this, look = std::move(look)] {
    Progress progress;
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kInterval, [this] { return done_; })) {
      const State state = look();
      progress.report(state.what, state.share);
    }
    progress.finish();
  });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace lanewise::cli
