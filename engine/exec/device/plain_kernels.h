#pragma once

#include <string>
#include <vector>

namespace lanewise::exec {

/// Sources that are worth compiling ahead, each once: those that queries of any kind share (lists, patterns),
/// and all of the plainest queries over one column or two: counts of a pattern's rows, one aggregate, one key
/// with a count or a sum. A source holds no column's name and no pattern, but each literal: a query with
/// another filter has kernels of its own.
std::vector<std::string> plain_kernels();

}  // namespace lanewise::exec
