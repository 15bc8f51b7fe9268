#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>

namespace lanewise::pram {

/// The optimisations of the meta-program. None changes the results of any program.
enum class Pass : uint8_t { kHost, kInPlace, kMerge, kBranches, kLoops, kFuse, kBatch };

using Passes = std::bitset<7>;
inline Passes all_passes() { return Passes().set(); }
inline bool has(const Passes& passes, Pass pass) { return passes[static_cast<size_t>(pass)]; }

struct PassInfo {
  Pass pass;
  std::string_view name;     ///< on the command line
  std::string_view summary;  ///< one line
};

/// All of them, in the order of Pass.
std::span<const PassInfo> passes();

/// `from` without the pass of that name, or without all of them for "all". Throws UserError.
Passes without(const Passes& from, std::string_view name);

}  // namespace lanewise::pram
