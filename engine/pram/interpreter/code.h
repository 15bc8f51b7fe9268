#pragma once

#include <cstdint>
#include <vector>

#include "pram/tree/tree.h"

namespace lanewise::pram {

/// A statement or a branch of a flat program, which can stop anywhere.
struct Instruction {
  enum class Kind : uint8_t {
    kAssign,  ///< a step
    kBranch,  ///< a step: splits the active set; jumps to `target` (kElse) if the first part is empty
    kElse,    ///< activates the other part; jumps to `target` (kEndIf) if that is empty
    kEndIf,   ///< both parts are active again
    kEnter,   ///< a loop begins: processors that leave it wait for its end
    kTest,    ///< a step: narrows the active set; leaves the loop, to `target`, when it is empty
    kRepeat,  ///< jumps to `target` (kTest)
    kBlock,   ///< processors start; jumps to `target`, after the block, if there are none
    kEnd,     ///< the processors of the block end
    kStop,
  };

  Kind kind = Kind::kStop;
  const Statement* statement = nullptr;
  uint32_t target = 0;

  bool is_step() const { return kind == Kind::kAssign || kind == Kind::kBranch || kind == Kind::kTest; }
};

/// The statements of `tree` in order; `tree` must outlive them.
std::vector<Instruction> flatten(const Tree& tree);

}  // namespace lanewise::pram
