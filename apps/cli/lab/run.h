#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "lab/executors.h"
#include "pram/machine/options.h"

namespace lanewise::cli::lab {

/// The limits of a run.
struct Limits {
  uint64_t steps = 10'000'000;
  size_t memory = size_t{2} << 30;
  std::chrono::seconds time{60};
};

/// A request of the page: a program and an executor. It cannot name a file.
struct Job {
  std::string program;
  std::string input;  ///< in the format of the page's Input (pram/inputs/text.h)
  ChosenExecutor on = {};
  bool tuned = false;  ///< run the tuned algorithm instead of an executor
  pram::ActiveForm active = pram::ActiveForm::kAuto;
  std::vector<std::string> without;  ///< optimisations that are switched off
  bool measure = false;              ///< run it several times, and report the fastest
};

/// Reads a request's JSON. Throws UserError if it is not a job.
Job parse_job(const std::string& json);

/// Runs it. The result is a JSON object: the first cells and a checksum of each output, seconds, launches,
/// costs. Throws UserError (also for errors of the program and its run), CancelledError.
std::string run_job(const Job& job, const Limits& limits, const Cancellation& cancellation,
                    std::atomic<uint64_t>& steps);

}  // namespace lanewise::cli::lab
