#include "api/machine_profile.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace lanewise {

namespace {

constexpr int kVersion = 2;

/// A whole number of the profile; throws UserError unless it is one of [least, most], or 0 where that is the
/// default.
uint32_t number(const nlohmann::json& json, const char* name, uint32_t least, uint32_t most) {
  const nlohmann::json& value = json.at(name);
  const auto n = value.is_number_unsigned() ? value.get<uint64_t>() : UINT64_MAX;
  if (n != 0 && (n < least || n > most)) {
    throw UserError(fmt::format("'{}' is not between {} and {}", name, least, most));
  }
  return static_cast<uint32_t>(n);
}

/// Nanoseconds for each byte; 0 is the default.
double cost(const nlohmann::json& json, const char* name) {
  const double ns = json.at(name).get<double>();
  if (!(ns >= 0 && ns <= 1000)) throw UserError(fmt::format("'{}' is not between 0 and 1000", name));
  return ns;
}

MachineProfile parse(const nlohmann::json& json) {
  MachineProfile profile;
  profile.processor = json.at("processor").get<std::string>();
  profile.read_rate = json.at("read_gb_per_second").get<double>() * 1e9;
  profile.vector_rows = number(json, "vector_rows", 64, 1 << 20);
  lanes::Tuning& tuning = profile.tuning;
  tuning.interleaved_width = number(json, "interleaved_width", 4, 8);
  if (tuning.interleaved_width != 4 && tuning.interleaved_width != 8) {
    throw UserError("'interleaved_width' is neither 4 nor 8");
  }
  tuning.refill_interleaved = number(json, "refill_interleaved", 1, tuning.interleaved_width);
  tuning.refill_packed_avx2 = number(json, "refill_packed_avx2", 1, 32);
  tuning.refill_packed_avx512 = number(json, "refill_packed_avx512", 1, 64);
  tuning.literal_ns = cost(json, "literal_ns");
  tuning.packed_ns = cost(json, "packed_ns");
  tuning.rows_ns = cost(json, "rows_ns");
  tuning.lazy_ns = cost(json, "lazy_ns");
  return profile;
}

}  // namespace

std::string machine_profile_path() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return std::string(config) + "/lanewise/profile.json";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.config/lanewise/profile.json";
  return "";
}

LoadedProfile load_machine_profile(const std::string& path, const std::string& processor) {
  const auto ignored = [&](const std::string& why) {
    return LoadedProfile{std::nullopt, fmt::format("the profile '{}' is not used: {}", path, why)};
  };
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return {};
  try {
    std::ifstream in(path);
    if (!in) return ignored(std::strerror(errno));
    const nlohmann::json json = nlohmann::json::parse(in);
    if (json.at("version") != kVersion) return ignored("it is of another version; run 'lanewise tune'");
    MachineProfile profile = parse(json);
    if (profile.processor != processor) {
      return ignored(fmt::format("it is of another processor, {}; run 'lanewise tune'", profile.processor));
    }
    return {std::move(profile), ""};
  } catch (const std::exception& broken) {
    return ignored(fmt::format("it is broken ({}); run 'lanewise tune'", broken.what()));
  }
}

void save_machine_profile(const MachineProfile& profile, const std::string& path) {
  if (path.empty())
    throw UserError("there is no place for a profile: neither HOME nor XDG_CONFIG_HOME is set");
  const lanes::Tuning& tuning = profile.tuning;
  const nlohmann::ordered_json json = {{"version", kVersion},
                                       {"processor", profile.processor},
                                       {"read_gb_per_second", profile.read_rate / 1e9},
                                       {"vector_rows", profile.vector_rows},
                                       {"interleaved_width", tuning.interleaved_width},
                                       {"refill_interleaved", tuning.refill_interleaved},
                                       {"refill_packed_avx2", tuning.refill_packed_avx2},
                                       {"refill_packed_avx512", tuning.refill_packed_avx512},
                                       {"literal_ns", tuning.literal_ns},
                                       {"packed_ns", tuning.packed_ns},
                                       {"rows_ns", tuning.rows_ns},
                                       {"lazy_ns", tuning.lazy_ns}};
  const auto fail = [&](const std::string& why) {
    throw UserError(fmt::format("cannot write '{}': {}", path, why));
  };
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) fail(error.message());
  const std::string temporary = path + ".new";  // a reader never sees half a profile
  std::ofstream out(temporary);
  out << json.dump(2) << '\n';
  out.close();
  if (!out) fail(std::strerror(errno));
  std::filesystem::rename(temporary, path, error);
  if (error) fail(error.message());
}

}  // namespace lanewise
