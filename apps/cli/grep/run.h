#pragma once

#include <string>

#include "grep/options.h"
#include "process/output_file.h"

namespace lanewise::cli::grep {

/// The outcome of a search.
struct Outcome {
  bool selected = false;  ///< at least one line was selected
  bool failed = false;    ///< a file could not be read; standard error has its name and the reason
};

/// Searches the files of the options and prints the results. Throws UserError for a bad pattern, ClosedPipe.
Outcome run(const Options& options, OutputFile& out);

/// Writes the names of the files that would be searched.
Outcome list_files(const Options& options, OutputFile& out);

/// A path as printed.
std::string shown_name(const std::string& path, const Options& options);

}  // namespace lanewise::cli::grep
