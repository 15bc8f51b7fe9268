#include "statements/machine.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/machine.h"
#include "process/print.h"

namespace lanewise::cli {

MachineProfile machine_profile() {
  const std::string path = machine_profile_path();
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return {};  // without checking the processor
  const LoadedProfile loaded = load_machine_profile(path, machine_cpu());
  if (!loaded.note.empty()) print_error("note: {}\n", loaded.note);
  return loaded.profile.value_or(MachineProfile());
}

}  // namespace lanewise::cli
