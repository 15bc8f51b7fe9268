#pragma once

#include "pram/machine/evaluator.h"
#include "pram/machine/memory.h"
#include "pram/meta/units.h"

namespace lanewise::pram {

/// Sees what an executor does, unit by unit. Executors then do nothing ahead of it.
class KernelObserver {
 public:
  virtual ~KernelObserver() = default;
  /// The memory before the first one.
  virtual void begin(const Memory& memory) = 0;
  /// A block begins: the private variables of its processors are 0.
  virtual void begin_block(uint32_t block, uint32_t processors, const MetaProgram& meta) = 0;
  /// `unit` ran with so many active processors. `columns`: by private variable one word that the host holds,
  /// one for each processor of the block, or none where it lives within kernels only.
  virtual void ran(const Unit& unit, uint32_t active, const Memory& memory, const Columns& columns) = 0;
};

}  // namespace lanewise::pram
