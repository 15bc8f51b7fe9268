#pragma once

#include <string>
#include <vector>

namespace lanewise::exec {

/// Sources that are worth compiling ahead, each once: those that queries of any kind share (lists, patterns),
/// and all of the plainest queries over one column or two: counts of the rows that pass a comparison or match
/// a pattern, one aggregate, one key with a count or a sum. A source holds no column's name, no pattern and
/// no constant that is compared with.
std::vector<std::string> plain_kernels();

}  // namespace lanewise::exec
