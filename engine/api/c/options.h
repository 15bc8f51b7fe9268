#pragma once

#include <span>

#include "api/c/lanewise.h"
#include "api/session.h"

namespace lanewise::c {

/// Throws UserError that names the option.
SessionOptions session_options(std::span<const lw_option> options);

}  // namespace lanewise::c
