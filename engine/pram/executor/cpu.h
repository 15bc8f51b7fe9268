#pragma once

#include "pram/language/program.h"
#include "pram/machine/result.h"

namespace lanewise::pram {

/// Runs the compiled IR of `program` on this machine's threads. Outputs are those of the
/// interpreter; so are errors, because after a failure the interpreter runs the program again and
/// reports. Throws as run() does.
Result run_on_cpu(const Program& program, const Arrays& inputs, const Options& options);

}  // namespace lanewise::pram
