#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanewise::text::automaton {

/// A set of small integers that keeps their order of insertion and is emptied in constant time (Briggs and
/// Torczon, "An efficient representation for sparse sets", 1993).
class SparseSet {
 public:
  explicit SparseSet(size_t universe = 0) { resize(universe); }

  void resize(size_t universe) {
    place_.assign(universe, 0);
    members_.clear();
    members_.reserve(universe);
  }
  void clear() { members_.clear(); }
  bool contains(uint32_t x) const { return place_[x] < members_.size() && members_[place_[x]] == x; }
  /// False if x was already present.
  bool insert(uint32_t x) {
    if (contains(x)) return false;
    place_[x] = static_cast<uint32_t>(members_.size());
    members_.push_back(x);
    return true;
  }
  const std::vector<uint32_t>& members() const { return members_; }

 private:
  std::vector<uint32_t> place_;
  std::vector<uint32_t> members_;
};

}  // namespace lanewise::text::automaton
