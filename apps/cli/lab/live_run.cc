#include "lab/live_run.h"

#include <fmt/format.h>
#include <httplib.h>

#include <exception>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace lanewise::cli::lab {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kProgress{250};
constexpr std::chrono::milliseconds kLook{20};  // how often the client is checked

bool line(httplib::DataSink& sink, std::string text) {
  text += '\n';
  return sink.write(text.data(), text.size());
}

std::string error_line(std::string_view message) {
  return fmt::format(R"({{"error":{}}})", json_quoted(message));
}

}  // namespace

LiveRun::LiveRun(Job job, const Limits& limits, Slots& slots, Slots& devices)
    : end_(Clock::now() + limits.time), limits_(limits) {
  result_ = std::async(std::launch::async, [this, job = std::move(job), &slots, &devices] {
    const Slots::Slot slot(slots, cancellation_);
    std::optional<Slots::Slot> turn;  // devices run one program at a time
    if (is_device(job.on.executor)) turn.emplace(devices, cancellation_);
    return run_job(job, limits_, cancellation_, steps_);
  });
}

LiveRun::~LiveRun() { cancellation_.cancel(); }  // then its future waits

bool LiveRun::write(httplib::DataSink& sink) {
  auto next = Clock::now() + kProgress;
  while (result_.wait_for(kLook) != std::future_status::ready) {
    const auto now = Clock::now();
    if (now > end_) cancellation_.cancel();
    if (!sink.is_writable()) return false;
    if (now < next) continue;
    next = now + kProgress;
    if (!line(sink, fmt::format(R"({{"steps":{}}})", steps_.load()))) return false;
  }
  if (!line(sink, last_line())) return false;
  sink.done();
  return true;
}

std::string LiveRun::last_line() {
  try {
    return fmt::format(R"({{"result":{}}})", result_.get());
  } catch (const CancelledError&) {
    return error_line(
        fmt::format("the run took longer than {} s; see --time-limit of lanewise lab", limits_.time.count()));
  } catch (const std::exception& error) {
    return error_line(error.what());
  }
}

}  // namespace lanewise::cli::lab
