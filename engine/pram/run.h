#pragma once

#include <vector>

#include "pram/language/program.h"
#include "pram/machine/options.h"
#include "pram/machine/result.h"
#include "pram/tree/value.h"

namespace lanewise::pram {

/// Runs `program` on `inputs`. Throws UserError for inputs that do not fit the program, and RunError for
/// errors while it runs.
Result run(const Program& program, const Arrays& inputs, const Options& options = {});

/// The conflicts found at each place, and the mode that each needs.
std::vector<Diagnostic> conflicts(const Program& program, const Survey& survey);

}  // namespace lanewise::pram
