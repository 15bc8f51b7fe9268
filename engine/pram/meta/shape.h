#pragma once

#include <cstddef>
#include <cstdint>

#include "pram/meta/meta.h"

/// What executors ask about nodes of a meta-program.
namespace lanewise::pram {

/// The sets that a list of nodes needs.
uint32_t sets_of(const std::vector<Meta>& list);
/// The assignment of a kernel that is not in place.
const Statement& assignment_of(const Meta& meta);
/// The most targets of a kernel that is not in place.
size_t buffers_of(const std::vector<Meta>& list);

}  // namespace lanewise::pram
