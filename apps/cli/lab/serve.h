#pragma once

#include "exit_code.h"
#include "lab/server.h"

namespace lanewise::cli::lab {

/// Serves the lab until the process ends. lanewise-lab does it itself (serve.cc); lanewise-engine starts
/// lanewise-lab (start_server.cc), since an HTTP server brings libraries for which all other commands would
/// wait.
ExitCode serve(const ServerOptions& options, bool open_browser);

}  // namespace lanewise::cli::lab
