#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace lanewise::cli {

/// Exit codes of the program.
enum ExitCode { kOk = 0, kUserError = 2, kBug = 70, kCancelled = 130 };

/// Each adds its subcommand to `app` and sets `run` when it is the one that was given.
void add_sql_command(CLI::App& app, std::function<void()>& run);
void add_info_command(CLI::App& app, std::function<void()>& run);

}  // namespace lanewise::cli
