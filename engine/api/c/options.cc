#include "api/c/options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/size.h"

namespace lanewise::c {

namespace {

bool parse_flag(std::string_view name, std::string_view value) {
  if (value == "true") return true;
  if (value == "false" || value.empty()) return false;
  throw UserError(fmt::format("the option '{}' is true or false, not '{}'", name, value));
}

int parse_threads(std::string_view value) {
  int threads = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (failed != std::errc() || end != value.data() + value.size() || threads < 0 || threads > 4096)
    throw UserError(fmt::format("the option 'threads' is a number from 0 to 4096, not '{}'", value));
  return threads;
}

size_t parse_bytes(std::string_view name, std::string_view value) {
  if (value.empty()) return 0;
  try {
    return parse_size(value);
  } catch (const UserError& error) {
    throw UserError(fmt::format("the option '{}': {}", name, error.what()));
  }
}

bool parse_fallback(std::string_view value) {
  if (!value.empty() && value != "duckdb")
    throw UserError(fmt::format("the option 'fallback' is 'duckdb' or empty, not '{}'", value));
  return !value.empty();
}

}  // namespace

SessionOptions session_options(std::span<const lw_option> options) {
  SessionOptions result;
  for (const lw_option& option : options) {
    const std::string_view name = option.name, value = option.value;
    if (name == "database") {
      result.database = value;
    } else if (name == "read_only") {
      result.read_only = parse_flag(name, value);
    } else if (name == "threads") {
      result.threads = parse_threads(value);
    } else if (name == "memory_limit") {
      result.memory_limit = parse_bytes(name, value);
    } else if (name == "device") {
      result.device = value;
    } else if (name == "device_memory") {
      result.device_memory = parse_bytes(name, value);
    } else if (name == "lanes") {
      result.lanes = value;
    } else if (name == "fallback") {
      result.fallback_duckdb = parse_fallback(value);
    } else {
      throw UserError(fmt::format(
          "there is no option '{}'; there are: database, read_only, threads, memory_limit, device, "
          "device_memory, lanes, fallback",
          name));
    }
  }
  return result;
}

}  // namespace lanewise::c
