#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "pram/meta/meta.h"

namespace lanewise::pram {

/// What a machine runs as one unit: a statement of the host, a kernel, or the test of a condition.
struct Unit {
  enum class Kind : uint8_t { kHost, kKernel, kTest };

  Kind kind = Kind::kKernel;
  std::vector<uint32_t> lines;    ///< of the program, ascending, without duplicates
  std::optional<uint32_t> set{};  ///< T[set] of active processors; absent: the host runs it
};

/// For a kernel, or for a node's condition.
Unit unit_of(const Meta& meta);
/// For a statement that the host runs.
Unit unit_of(const Statement& statement);

/// The units of a meta-program to which a statement of its tree belongs.
class Units {
 public:
  explicit Units(const MetaProgram& meta) { add(meta.body); }

  const Unit& operator[](uint32_t number) const { return units_[number]; }
  /// Their numbers, ascending. Several if a condition is part of several kernels.
  const std::vector<uint32_t>& of(const Statement& statement) const;

 private:
  /// The position and role of a value or condition, which passes do not change.
  using Key = std::tuple<uint32_t, uint32_t, int, uint32_t>;
  static Key key_of(const Statement& assignment, size_t target);
  static Key key_of(const Expr& condition);
  void add(const std::vector<Meta>& list);
  void add(const std::vector<Statement>& list);
  void note(const Key& key);

  std::vector<Unit> units_;
  std::map<Key, std::vector<uint32_t>> of_;
};

}  // namespace lanewise::pram
