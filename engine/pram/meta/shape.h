#pragma once

#include <cstddef>
#include <cstdint>

#include "pram/meta/meta.h"

/// Properties of a meta-program's nodes, for executors.
namespace lanewise::pram {

/// The number of sets that a list of nodes needs.
uint32_t sets_of(const std::vector<Meta>& list);
/// The assignment of a kernel that is not in place.
const Statement& assignment_of(const Meta& meta);
/// Whether the host can evaluate it alone: it reads no shared cells.
bool is_of_host(const Expr& expr);
bool is_of_host(const Statement& statement);
/// Whether all targets are shared: no later code waits for a private value.
bool writes_shared_only(const Statement& statement);
/// Words of memory that an active processor of a kernel or test reads and writes, as often as they occur in
/// the program; `columns`: the private variables that have one, by number. A buffered value is written and
/// read once more, with the number of its cell.
uint64_t words_of(const Meta& meta, const std::vector<bool>& columns);
/// The maximum number of targets of a kernel that is not in place.
size_t buffers_of(const std::vector<Meta>& list);

}  // namespace lanewise::pram
