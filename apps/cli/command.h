#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>

#include "process/exit_code.h"

namespace lanewise::cli {

/// Runs the chosen subcommand; returns the exit code.
using Command = std::function<ExitCode()>;

/// For options with any number of rows: the library's own checks print the largest double in errors.
inline constexpr int64_t kMostRows = 1'000'000'000'000;

/// Each adds its subcommand to `app`, and sets `run` if it is chosen.
void add_sql_command(CLI::App& app, Command& run);
void add_grep_command(CLI::App& app, Command& run);
void add_index_command(CLI::App& app, Command& run);
void add_pram_command(CLI::App& app, Command& run);
void add_lab_command(CLI::App& app, Command& run);
void add_graph_command(CLI::App& app, Command& run);
void add_bench_command(CLI::App& app, Command& run);
void add_study_command(CLI::App& app, Command& run);
void add_tune_command(CLI::App& app, Command& run);
void add_info_command(CLI::App& app, Command& run);
/// help, completions and manual.
void add_help_command(CLI::App& app, Command& run);

}  // namespace lanewise::cli
