#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pram/language/program.h"
#include "pram/meta/passes.h"

namespace lanewise::pram {

/// How a kernel writes shared cells.
enum class Writing : uint8_t {
  kResolved,  ///< all values first; then the mode resolves the writes to each cell
  kBuffered,  ///< all values first; no two processors write the same cell
  kInPlace,   ///< processors run independently: none uses a cell that another writes
};

/// The meta-program (IR): the same program for a machine that holds sets T0, T1, ... of active processors
/// instead of waiting processors.
struct Meta {
  enum class Kind : uint8_t {
    kHost,       ///< statements (assignments) by the host
    kHostIf,     ///< body if the condition holds, else otherwise
    kHostWhile,  ///< body while the condition holds
    kAll,        ///< T0 = all processors of the block; body
    kKernel,     ///< for all p in T[from]: statements, without blocks
    kSplit,      ///< T[to] = those of T[from] for which the condition holds; T[rest] = the others
    kRepeat,     ///< T[to] = T[from]; until T[to], narrowed by the condition, is empty: body
    kBatch,  ///< body; the host can compute all its steps in advance, so that they can be launched together
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

/// What a pass did, and why that is correct.
struct MetaNote {
  Pass pass;
  uint32_t line;
  std::string text;
};

struct MetaProgram {
  std::vector<Meta> body;
  std::vector<bool> hosted;  ///< by private variable: one value on the host instead of one for each processor
  std::vector<MetaNote> notes;
  std::vector<bool> fused = {};  ///< by block: one kernel, whose processors hold all private variables
};

/// The plain meta-program: a kernel for each assignment, a set for each condition.
MetaProgram lower(const Tree& tree);

/// The meta-program with these optimisations.
MetaProgram compile(const Tree& tree, const Passes& passes = all_passes());

/// A line of the meta-program, with the number of its source line.
struct MetaLine {
  uint32_t line;
  std::string text;
};
std::vector<MetaLine> print(const MetaProgram& meta, const Tree& tree);

/// The program and, next to each line, its meta-program; below, what the passes did.
std::string explain(const Program& program, const Passes& passes = all_passes());

}  // namespace lanewise::pram
