#pragma once

#include <cstdint>

#include "grep/options.h"
#include "output/output_file.h"

namespace lanewise::cli::grep {

/// What came of it.
struct Outcome {
  bool selected = false;  ///< a line at least
  bool failed = false;    ///< a file could not be read; standard error says which and why
};

/// Searches the files that the options name and writes what they ask for. Throws UserError for a bad pattern,
/// ClosedPipe.
Outcome run(const Options& options, OutputFile& out);

}  // namespace lanewise::cli::grep
