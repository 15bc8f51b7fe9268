#pragma once

#include <memory>
#include <string>

#include "api/c/lanewise.h"
#include "ops/host_function.h"

namespace lanewise::c {

/// A C function as a function of the engine. Throws UserError if `signature` names an unknown type.
std::shared_ptr<const ops::HostFunction> host_function(const std::string& name, const ArrowSchema& signature,
                                                       bool strict, lw_function function, void* data);

}  // namespace lanewise::c
