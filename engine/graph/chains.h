#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise::graph {

/// The number of elements that follow each element in its linked list. next[i] is the one after i, or -1 at
/// the end; there may be several lists. On all threads: parts of the lists are walked concurrently (Helman,
/// JáJá, "Designing practical efficient algorithms for symmetric multiprocessors", 1999). Throws UserError
/// for an element that does not exist, one that follows two others, a cycle, or 2^32 - 1 elements or more.
std::vector<int64_t> list_ranks(std::span<const int64_t> next);

/// The number of edges from each vertex up to its root. parent[v] is the vertex above v; a root is its own
/// parent. There may be several trees. On all threads. Throws UserError for a parent that does not exist, a
/// cycle, or 2^32 - 1 vertices or more.
std::vector<int64_t> tree_depths(std::span<const int64_t> parent);

/// The same pointers in 32 bits, kNobody at the end of a list and above a root; same errors.
std::vector<uint32_t> links_of_lists(std::span<const int64_t> next);
std::vector<uint32_t> links_of_trees(std::span<const int64_t> parent);

/// Throws a UserError that explains why these links do not form lists or trees.
[[noreturn]] void refuse_lists(std::span<const uint32_t> links);
[[noreturn]] void refuse_trees(std::span<const uint32_t> links);

}  // namespace lanewise::graph
