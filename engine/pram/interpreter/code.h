#pragma once

#include <cstdint>
#include <vector>

#include "pram/language/tree.h"

namespace lanewise::pram {

/// A statement, or what holds statements together, in a flat program that can stop anywhere.
struct Instruction {
  enum class Kind : uint8_t {
    kAssign,  ///< a step
    kBranch,  ///< a step: splits the active set; goes to `target` (kElse) where the first part is empty
    kElse,    ///< the other part; goes to `target` (kEndIf) where that is empty
    kEndIf,   ///< both parts are active again
    kEnter,   ///< a loop begins: what leaves it waits for its end
    kTest,    ///< a step: narrows the active set; leaves the loop, to `target`, when it is empty
    kRepeat,  ///< goes to `target` (kTest)
    kBlock,   ///< processors begin to run; goes to `target`, after the block, where there are none
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
