#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lanes/tuning.h"
#include "ops/work/costs.h"

namespace lanewise {

/// The results of `lanewise tune` for one machine. Programs read them and pass them to SessionOptions.
struct MachineProfile {
  std::string processor;  ///< machine_cpu() of base/machine.h; a profile is valid for one model of processor
  double read_rate = 0;   ///< bytes per second that one core reads from memory
  uint32_t vector_rows = 0;  ///< SessionOptions::vector_rows; 0: the default
  lanes::Tuning tuning = {};
  std::optional<ops::PlacementCosts> placement = {};  ///< if the machine had a GPU

  bool operator==(const MachineProfile&) const = default;
};

/// A profile, or the reason why there is none.
struct LoadedProfile {
  std::optional<MachineProfile> profile;
  std::string note;  ///< a message for the user; empty if there is no file
};

/// $XDG_CONFIG_HOME/lanewise/profile.json, else ~/.config/lanewise/profile.json; empty if neither folder is
/// known.
std::string machine_profile_path();

/// Reads the profile at `path`. A profile that is damaged, or belongs to another version or processor, is
/// ignored; the note says why. Does not throw.
LoadedProfile load_machine_profile(const std::string& path, const std::string& processor);

/// Writes the profile, and the folders above it. Throws UserError that names the path.
void save_machine_profile(const MachineProfile& profile, const std::string& path);

}  // namespace lanewise
