#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/page.h"
#include "lab/run.h"

namespace lanewise::cli::lab {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8710;      ///< 0: any that is free
  std::string program;  ///< a file, or one of the library, that the page opens; empty: none
  Limits limits;
  int most_runs = 2;  ///< at once
};

/// Serves the page, and runs its programs on the executors of this machine:
///   GET  /api/lab        the version, the limits, and the program to open
///   GET  /api/executors  the devices of this machine, and why others are missing
///   POST /api/run        a Job; lines of JSON come back: {"steps": N} while it runs, then {"result": ...} or
///   {"error": ...}
/// A run ends when its client goes.
class Server {
 public:
  /// Listens at once. Throws UserError if the port is in use or the page is missing.
  Server(ServerOptions options, Page page);
  ~Server();

  /// With the token, if one is needed.
  std::string url() const;
  /// Answers until the process ends.
  void serve();

 private:
  class Implementation;
  std::unique_ptr<Implementation> held_;
};

}  // namespace lanewise::cli::lab
