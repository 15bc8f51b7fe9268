#pragma once

#include <vector>

#include "base/memory.h"
#include "pram/language/program.h"
#include "pram/tree/value.h"

namespace lanewise::pram {

/// Shared by all processors: parameters and variables, in the tree's order.
struct Memory {
  std::vector<Word> parameters;
  std::vector<Array> variables;
  Reservation reservation;
};

/// The memory before the first step: inputs are stored, sizes derived and compared, the rest set to initial
/// values. Throws UserError if an input is missing, unknown, or of another type or size; integers are
/// accepted for reals.
Memory make_memory(const Program& program, const Arrays& inputs, MemoryBudget* budget);

/// The same without any cells: parameters, and the extents of all variables.
Memory sizes_of(const Program& program, const Arrays& inputs);

/// The variables declared output or inout.
Arrays outputs_of(const Program& program, const Memory& memory);

/// "A[3]", "W[2, 5]", "sum": the cell with this row-major number.
std::string cell_name(const Variable& variable, const Array& array, uint64_t cell);

}  // namespace lanewise::pram
