#pragma once

namespace lanewise::cli {

/// Runs a program of Lanewise: prepares signals and streams, and turns every error into an exit code and a
/// line on standard error.
int run_guarded(int argc, char** argv, int (*program)(int argc, char** argv));

}  // namespace lanewise::cli
