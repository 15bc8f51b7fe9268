#pragma once

#include <string>

#include "grep/options.h"
#include "output/output_file.h"

namespace lanewise::cli::grep {

/// What came of it.
struct Outcome {
  bool selected = false;  ///< a line at least
  bool failed = false;    ///< a file could not be read; standard error says which and why
};

/// Searches the files that the options name and writes what they require. Throws UserError for a bad pattern,
/// ClosedPipe.
Outcome run(const Options& options, OutputFile& out);

/// Writes the names of the files that would be searched.
Outcome list_files(const Options& options, OutputFile& out);

/// A path as it is printed.
std::string shown_name(const std::string& path, const Options& options);

}  // namespace lanewise::cli::grep
