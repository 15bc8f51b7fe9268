#pragma once

#include <memory>

#include "base/memory.h"
#include "base/spill_file.h"

namespace lanewise {

/// A budget that is always short, with room for some work: everything else goes to temporary files.
class ShortMemory {
 public:
  ShortMemory() {
    budget.spill_to(std::make_shared<SpillFile>());
    used_.resize(kLimit / 2 + 1);
  }

  MemoryBudget budget{kLimit};

 private:
  static constexpr size_t kLimit = size_t{32} << 20;
  Reservation used_{&budget, "test"};
};

}  // namespace lanewise
