#pragma once

#include <functional>

namespace lanewise::cli::bench {

/// Calls work(0) ... work(threads - 1) at the same time; with `pinned` each on a core of its own, as long as
/// there are cores, else where the system puts it. Returns the seconds from the common start to the last end.
/// Throws what a call throws.
double run_team(int threads, bool pinned, const std::function<void(int)>& work);

}  // namespace lanewise::cli::bench
