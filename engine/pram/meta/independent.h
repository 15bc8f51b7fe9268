#pragma once

#include <vector>

#include "pram/language/tree.h"

/// What processors of a kernel have to do with each other: the reason why a pass may do what it does.
namespace lanewise::pram {

/// Whether each processor of `block` can run `statements` (assignments, ifs, whiles) on its own: none uses a
/// cell that another one writes. What the program's mode forbids is taken not to happen.
bool independent(const std::vector<Statement>& statements, const Tree& tree, uint32_t block);

/// Whether no two processors write one cell.
bool exclusive_writes(const std::vector<Statement>& statements, const Tree& tree, uint32_t block);

/// Whether two assignments that follow each other can be one: the second uses nothing that the first writes.
bool simultaneous(const Statement& first, const Statement& second);

}  // namespace lanewise::pram
