#include "api/c/options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/size.h"

namespace lanewise::c {

bool parse_flag(std::string_view name, std::string_view value) {
  if (value == "true") return true;
  if (value == "false" || value.empty()) return false;
  throw UserError(fmt::format("the option '{}' must be true or false, not '{}'", name, value));
}

uint64_t parse_count(std::string_view name, std::string_view value, uint64_t most) {
  uint64_t count = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (failed != std::errc() || end != value.data() + value.size() || count > most)
    throw UserError(
        fmt::format("the option '{}' must be a number from 0 to {}, not '{}'", name, most, value));
  return count;
}

size_t parse_bytes(std::string_view name, std::string_view value) {
  if (value.empty()) return 0;
  try {
    return parse_size(value);
  } catch (const UserError& error) {
    throw UserError(fmt::format("the option '{}': {}", name, error.what()));
  }
}

void refuse_option(std::string_view name, std::string_view there_are) {
  throw UserError(fmt::format("there is no option '{}'; there are: {}", name, there_are));
}

namespace {

bool parse_fallback(std::string_view value) {
  if (!value.empty() && value != "duckdb")
    throw UserError(fmt::format("the option 'fallback' must be 'duckdb' or empty, not '{}'", value));
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
      result.threads = static_cast<int>(parse_count(name, value, 4096));
    } else if (name == "memory_limit") {
      result.memory_limit = parse_bytes(name, value);
    } else if (name == "temp_directory") {
      result.temp_directory = value;
    } else if (name == "device") {
      result.device = value;
    } else if (name == "device_memory") {
      result.device_memory = parse_bytes(name, value);
    } else if (name == "lanes") {
      result.lanes = value;
    } else if (name == "fallback") {
      result.fallback_duckdb = parse_fallback(value);
    } else {
      refuse_option(name,
                    "database, read_only, threads, memory_limit, temp_directory, "
                    "device, device_memory, lanes, fallback");
    }
  }
  return result;
}

}  // namespace lanewise::c
