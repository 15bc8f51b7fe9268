#pragma once

#include "pram/machine/evaluator.h"
#include "pram/machine/memory.h"
#include "pram/meta/units.h"

namespace lanewise::pram {

/// Observes an executor, unit by unit. Executors then do not run ahead of the observer.
class KernelObserver {
 public:
  virtual ~KernelObserver() = default;
  /// The memory before the first unit.
  virtual void begin(const Memory& memory) = 0;
  /// A block begins: the private variables of its processors are 0.
  virtual void begin_block(uint32_t block, uint32_t processors, const MetaProgram& meta) = 0;
  /// `unit` ran with this number of active processors. `columns` has, for each private variable, one word if
  /// the host holds it, one for each processor of the block, or none if it exists only within kernels.
  virtual void ran(const Unit& unit, uint32_t active, const Memory& memory, const Columns& columns) = 0;
};

}  // namespace lanewise::pram
