#pragma once

namespace lanewise::cli {

/// Exit codes of the program. grep also says 1: nothing was found.
enum ExitCode { kOk = 0, kNothingFound = 1, kUserError = 2, kBug = 70, kCancelled = 130 };

}  // namespace lanewise::cli
