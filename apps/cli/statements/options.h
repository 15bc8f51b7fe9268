#pragma once

#include <string>

#include "api/session.h"
#include "output/format.h"

namespace lanewise::cli {

/// The options of `lanewise sql`.
struct SqlOptions {
  std::string command;
  std::string file;
  std::string format;
  std::string output;
  std::string fallback;
  std::string memory_limit;
  SessionOptions session;
  std::string explain;  // "plan" or "kernels"; empty: run
  std::string device_memory;
  TextStyle style;
  std::string on_error = "stop";  // or "continue"
  bool profile = false;
  bool timing = false;
  bool page = false;  // long results go through a pager, on a terminal
};

}  // namespace lanewise::cli
