#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lanewise::lanes {

/// How lane code is executed. Every target gives the same results.
enum class Target {
  branching,    ///< one lane, a branch for each row or byte, as in a textbook
  scalar,       ///< one lane, no vectors; no branch depends on a row's content
  automatic,    ///< the same source, vectorised by the compiler; named "auto"
  interleaved,  ///< several lanes of one thread, scalar instructions
  avx2,         ///< 32-byte registers
  avx512,       ///< 64-byte registers with byte permutes (AVX-512 VBMI, VBMI2)
  neon,         ///< 64 bytes in four registers, on every aarch64 core
  emulated,     ///< wide groups and registers in plain C++, to test them on any machine
};

inline constexpr Target kTargets[] = {Target::branching,   Target::scalar,  Target::automatic,
                                      Target::interleaved, Target::avx2,    Target::avx512,
                                      Target::neon,        Target::emulated};

/// The name by which users force a target.
std::string_view name(Target target);

/// The target of that name; "simd", and also "packed" (see Tuning), is the widest that this machine supports.
/// Nothing for other names.
std::optional<Target> parse_target(std::string_view text);

/// The same; throws UserError for names that are unknown and for targets that this machine does not support.
Target require_target(std::string_view text);

/// Whether this machine can run `target`.
bool supported(Target target);

/// The widest vector target of this machine; interleaved if there is none.
Target simd();

/// The targets of kTargets that this machine can run.
std::vector<Target> supported_targets();

}  // namespace lanewise::lanes
