#include "lanes/targets/target.h"

#include <string>

#include "base/error.h"

namespace lanewise::lanes {

std::string_view name(Target target) {
  switch (target) {
    case Target::branching:
      return "branching";
    case Target::scalar:
      return "scalar";
    case Target::automatic:
      return "auto";
    case Target::interleaved:
      return "interleaved";
    case Target::avx2:
      return "avx2";
    case Target::avx512:
      return "avx512";
    case Target::neon:
      return "neon";
    case Target::emulated:
      return "emulated";
  }
  return "unknown";
}

std::optional<Target> parse_target(std::string_view text) {
  if (text == "simd" || text == "packed") return simd();
  for (Target target : kTargets) {
    if (text == name(target)) return target;
  }
  return std::nullopt;
}

Target require_target(std::string_view text) {
  const std::optional<Target> target = parse_target(text);
  if (!target) {
    std::string known;
    for (Target one : kTargets) known.append(name(one)).append(", ");
    throw UserError("unknown lanes '" + std::string(text) + "'; known are " + known + "simd, packed");
  }
  if (!supported(*target))
    throw UserError("this machine does not support the lanes '" + std::string(text) +
                    "'; 'lanewise info' lists those that it does");
  return *target;
}

bool supported(Target target) {
#if defined(__x86_64__)
  // The compiler's run-time reads CPUID and also whether the operating system keeps the registers.
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  static const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                             __builtin_cpu_supports("avx512vbmi2");
#else
  constexpr bool avx2 = false;
  constexpr bool avx512 = false;
#endif
#if defined(__aarch64__)
  constexpr bool neon = true;
#else
  constexpr bool neon = false;
#endif
  switch (target) {
    case Target::avx2:
#if defined(__x86_64__)
    case Target::automatic:  // its vectors are those of AVX2
#endif
      return avx2;
    case Target::avx512:
      return avx512;
    case Target::neon:
      return neon;
    default:
      return true;
  }
}

Target simd() {
  for (Target target : {Target::avx512, Target::avx2, Target::neon}) {
    if (supported(target)) return target;
  }
  return Target::interleaved;
}

std::vector<Target> supported_targets() {
  std::vector<Target> targets;
  for (Target target : kTargets) {
    if (supported(target)) targets.push_back(target);
  }
  return targets;
}

}  // namespace lanewise::lanes
