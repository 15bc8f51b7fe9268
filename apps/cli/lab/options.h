#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanewise::cli::lab {

/// The options of `lanewise lab`, which passes them to `lanewise-lab`.
struct Options {
  std::string program;  ///< a file or the name of a bundled program that the page opens; empty: none
  std::string host = "127.0.0.1";
  int port = 8710;    ///< 0: any that is free
  int most_runs = 2;  ///< at once
  uint64_t most_steps = 10'000'000;
  std::string memory_limit = "2GB";
  int64_t seconds = 60;
  bool no_open = false;
};

void add_options(CLI::App& app, Options& options);

/// The options as words of a command line.
std::vector<std::string> to_words(const Options& options);

}  // namespace lanewise::cli::lab
