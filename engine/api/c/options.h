#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/c/lanewise.h"
#include "api/session.h"

namespace lanewise::c {

/// Parse the values of options. They throw UserError that names the option.
bool parse_flag(std::string_view name, std::string_view value);
uint64_t parse_count(std::string_view name, std::string_view value, uint64_t most);
size_t parse_bytes(std::string_view name, std::string_view value);
/// Throws UserError that lists the valid options.
[[noreturn]] void refuse_option(std::string_view name, std::string_view there_are);

SessionOptions session_options(std::span<const lw_option> options);

}  // namespace lanewise::c
