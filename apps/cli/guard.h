#pragma once

namespace lanewise::cli {

/// Runs a program of ours: with its signals and streams in order, and every error as an exit code and a line
/// on standard error.
int run_guarded(int argc, char** argv, int (*program)(int argc, char** argv));

}  // namespace lanewise::cli
