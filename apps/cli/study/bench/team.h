#pragma once

#include <functional>

namespace lanewise::cli::bench {

/// Calls work(0) ... work(threads - 1) at the same time. With `pinned`, each runs on its own core as long as
/// there are cores. Returns the seconds from the common start to the end of the last. Rethrows exceptions.
double run_team(int threads, bool pinned, const std::function<void(int)>& work);

}  // namespace lanewise::cli::bench
