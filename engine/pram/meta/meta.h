#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pram/program.h"

namespace lanewise::pram {

/// The meta-program: the same program for a machine that holds sets T0, T1, ... of active processors instead
/// of processors that wait. What runs outside of blocks is the host's.
struct Meta {
  enum class Kind : uint8_t {
    kHostAssign,  ///< statement, by the host
    kHostIf,      ///< body where the statement's condition holds, else otherwise
    kHostWhile,   ///< body as long as the statement's condition holds
    kAll,         ///< T0 = all processors of the statement's block
    kAssign,      ///< for all p in T[from]: statement
    kSplit,       ///< T[to] = those of T[from] for which the statement's condition holds; T[rest] the others
    kRepeat,      ///< T[to] = T[from]; until T[to], narrowed by the condition, is empty: body
  };

  Kind kind = Kind::kHostAssign;
  const Statement* statement = nullptr;  ///< of the program's tree
  uint32_t from = 0;
  uint32_t to = 0;
  std::optional<uint32_t> rest;
  std::vector<Meta> body;
  std::vector<Meta> otherwise;
};

/// The meta-program of `tree`, which must outlive it.
std::vector<Meta> lower(const Tree& tree);

/// Lines of the meta-program, each with the number of the line that it comes from.
struct MetaLine {
  uint32_t line;
  std::string text;
};
std::vector<MetaLine> print(const std::vector<Meta>& meta, const Tree& tree);

/// The program and, beside each of its lines, what it becomes.
std::string explain(const Program& program);

}  // namespace lanewise::pram
