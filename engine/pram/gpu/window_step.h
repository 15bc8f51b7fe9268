#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pram/meta/meta.h"

namespace lanewise::pram {

/// A cell that each processor of a step uses: `index` is a multiple of its number and something more.
struct OwnCell {
  uint32_t variable;
  ExprPtr index;
  bool fills;  ///< all processors write it, and none uses the variable before that
};

/// A kernel as a step of windows (batch.h): what the host must know of its indexes, evaluated for two
/// processors, to know them for all.
struct WindowStep {
  /// The kernel's, but private variables that are multiples too have gone into what uses them.
  std::vector<Statement> statements = {};
  std::vector<OwnCell> cells = {};    ///< of variables that the batch writes; each once
  std::vector<ExprPtr> checked = {};  ///< values of the variables that went; one may fail
  bool columns = false;               ///< it uses a word of each processor's own, too
};

/// `written`: by variable, what the batch writes; `in_register`: by private. None where the kernel uses other
/// cells, so that the host does not know which.
std::optional<WindowStep> window_step(const Meta& kernel, const Tree& tree, uint32_t block,
                                      const std::vector<bool>& written, const std::vector<bool>& in_register);

/// The same for what one does alone, for the host: each index is one number.
std::optional<WindowStep> window_step(const Statement& statement, const Tree& tree,
                                      const std::vector<bool>& written);

}  // namespace lanewise::pram
