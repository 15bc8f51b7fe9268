#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pram/machine/options.h"

namespace lanewise::cli::lab {

/// Not an executor, but the rival of all of them: another algorithm for the same problem (lab/tuned.h).
inline constexpr const char* kTuned = "tuned";

/// An executor of this machine, as shown by the page.
struct ExecutorInfo {
  std::string name;    ///< as --executor of `lanewise pram run`; with --one-group it ends with "-group"
  std::string title;   ///< for people
  std::string device;  ///< its device; empty if it cannot run
  std::string reason;  ///< why it cannot
};

/// Opens the GPUs, which takes a moment at the first call.
std::vector<ExecutorInfo> executors();

/// What a program runs on.
struct ChosenExecutor {
  pram::Executor executor = pram::Executor::kInterpreter;
  bool one_group = false;  ///< pram::Options::one_group
};

/// Throws UserError for other names.
ChosenExecutor executor_of(std::string_view name);

}  // namespace lanewise::cli::lab
