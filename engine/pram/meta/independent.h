#pragma once

#include <vector>

#include "pram/tree/tree.h"

/// Dependences between processors of a kernel: they justify the passes.
namespace lanewise::pram {

/// Whether the processors of `block` can run `statements` (assignments, ifs, whiles) independently: none uses
/// a cell that another one writes. Conflicts that the program's mode forbids are assumed not to happen.
bool independent(const std::vector<Statement>& statements, const Tree& tree, uint32_t block);

/// Whether no two processors write the same cell.
bool exclusive_writes(const std::vector<Statement>& statements, const Tree& tree, uint32_t block);

/// Whether two consecutive assignments can be merged: the second uses nothing that the first writes.
bool simultaneous(const Statement& first, const Statement& second);

}  // namespace lanewise::pram
