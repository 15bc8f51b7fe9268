#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pram/meta/passes.h"
#include "pram/program.h"

namespace lanewise::pram {

/// How a kernel writes shared cells.
enum class Writing : uint8_t {
  kResolved,  ///< all values first; then a cell takes what the mode makes of all that is written to it
  kBuffered,  ///< all values first; no two processors write one cell
  kInPlace,   ///< each processor goes on its own: none uses a cell that another writes
};

/// The meta-program: the same program for a machine that holds sets T0, T1, ... of active processors instead
/// of processors that wait.
struct Meta {
  enum class Kind : uint8_t {
    kHost,       ///< statements (assignments) by the host
    kHostIf,     ///< body where the condition holds, else otherwise
    kHostWhile,  ///< body as long as the condition holds
    kAll,        ///< T0 = all processors of the block; body
    kKernel,     ///< for all p in T[from]: statements, without blocks
    kSplit,      ///< T[to] = those of T[from] for which the condition holds; T[rest] the others
    kRepeat,     ///< T[to] = T[from]; until T[to], narrowed by the condition, is empty: body
    kBatch,      ///< body; the host knows all its steps beforehand, so that they can be launched together
  };

  Kind kind = Kind::kHost;
  Place place;
  ExprPtr condition = {};
  /// For a kernel that is not in place: one assignment, perhaps within ifs without else.
  std::vector<Statement> statements = {};
  Writing writing = Writing::kInPlace;
  uint32_t block = 0;
  uint32_t from = 0;
  uint32_t to = 0;
  std::optional<uint32_t> rest = {};
  std::vector<Meta> body = {};
  std::vector<Meta> otherwise = {};
};

/// What a pass did, and why it may.
struct MetaNote {
  Pass pass;
  uint32_t line;
  std::string text;
};

struct MetaProgram {
  std::vector<Meta> body;
  std::vector<bool> hosted;  ///< by private: one value, held by the host, instead of one for each processor
  std::vector<MetaNote> notes;
  std::vector<bool> fused = {};  ///< by block: one kernel, whose processors hold all private variables
};

/// The plain meta-program: a kernel for each assignment, a set for each condition.
MetaProgram lower(const Tree& tree);

/// The meta-program with these optimisations.
MetaProgram compile(const Tree& tree, const Passes& passes = all_passes());

/// Lines of the meta-program, each with the number of the line that it comes from.
struct MetaLine {
  uint32_t line;
  std::string text;
};
std::vector<MetaLine> print(const MetaProgram& meta, const Tree& tree);

/// The program and, next to each of its lines, what it becomes; below, what the passes did.
std::string explain(const Program& program, const Passes& passes = all_passes());

}  // namespace lanewise::pram
