#pragma once

namespace lanewise::cli {

/// Becomes the program `name` in the folder of this one. Returns an exit code only where that is not
/// possible.
int run_sibling(const char* name, char** argv);

}  // namespace lanewise::cli
