#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exec/placement/costs.h"
#include "lanes/tuning.h"

namespace lanewise {

/// What `lanewise tune` found out about a machine. Programs read it and pass it on as SessionOptions.
struct MachineProfile {
  std::string processor;     ///< base/machine.h's machine_cpu(): a profile is of one kind of processor
  double read_rate = 0;      ///< bytes per second that one core reads from memory
  uint32_t vector_rows = 0;  ///< SessionOptions::vector_rows; 0: the default
  lanes::Tuning tuning = {};
  std::optional<exec::PlacementCosts> placement = {};  ///< if the machine had a GPU

  bool operator==(const MachineProfile&) const = default;
};

/// A profile, or why there is none.
struct LoadedProfile {
  std::optional<MachineProfile> profile;
  std::string note;  ///< for people; empty where there simply is no file
};

/// $XDG_CONFIG_HOME/lanewise/profile.json, else ~/.config/lanewise/profile.json; empty where neither is
/// known.
std::string machine_profile_path();

/// Reads the profile at `path`. One that is damaged, or that another version wrote or another processor has,
/// is ignored, and the note says why. Does not throw.
LoadedProfile load_machine_profile(const std::string& path, const std::string& processor);

/// Writes the profile, and the folders above it. Throws UserError that names the path.
void save_machine_profile(const MachineProfile& profile, const std::string& path);

}  // namespace lanewise
