#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pram/meta/meta.h"

namespace lanewise::pram {

/// A cell that each processor of a step uses: `index` is a multiple of its number plus an offset.
struct OwnCell {
  uint32_t variable;
  ExprPtr index;
  bool fills;  ///< all processors write it, and none uses the variable earlier
};

/// A kernel as a step of windows (batch.h): its indexes, which the host evaluates for two
/// processors to know them for all.
struct WindowStep {
  /// Those of the kernel, with linear private variables substituted.
  std::vector<Statement> statements = {};
  std::vector<OwnCell> cells = {};    ///< of variables that the batch writes; no duplicates
  std::vector<ExprPtr> checked = {};  ///< values of the substituted variables; one may fail
  bool columns = false;               ///< it also uses private words of each processor
};

/// `written`: by variable, those the batch writes; `in_register`: by private variable. Nothing if the kernel
/// uses other cells, which the host cannot compute.
std::optional<WindowStep> window_step(const Meta& kernel, const Tree& tree, uint32_t block,
                                      const std::vector<bool>& written, const std::vector<bool>& in_register);

/// The same for a statement of a single processor, run by the host: each index is one number.
std::optional<WindowStep> window_step(const Statement& statement, const Tree& tree,
                                      const std::vector<bool>& written);

}  // namespace lanewise::pram
