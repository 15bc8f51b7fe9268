#include "api/machine_profile.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/new_file.h"

namespace lanewise {

namespace {

constexpr int kVersion = 3;

/// An integer of the profile; throws UserError unless it is in [least, most], or 0 if that is the
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

/// A rate in units per second, or a time in seconds: a number above 0.
double measured(const nlohmann::json& json, const char* name) {
  const double value = json.at(name).get<double>();
  if (!(value > 0 && value < 1e15)) throw UserError(fmt::format("'{}' is not above 0", name));
  return value;
}

/// The fields of Rates, with their names and units in the file.
template <class Field>
void for_rates(Field&& field) {
  using ops::Rates;
  field("start_us", &Rates::start, 1e-6);
  field("scan_gb_per_second", &Rates::scan, 1e9);
  field("compute_g_per_second", &Rates::compute, 1e9);
  field("search_gb_per_second", &Rates::search, 1e9);
  field("automaton_gb_per_second", &Rates::automaton, 1e9);
  field("group_m_words_per_second", &Rates::group, 1e6);
  field("many_groups_m_words_per_second", &Rates::many_groups, 1e6);
  field("sort_m_words_per_second", &Rates::sort, 1e6);
  field("lookup_m_words_per_second", &Rates::lookup, 1e6);
  field("join_m_words_per_second", &Rates::join, 1e6);
}
template <class Field>
void for_device(Field&& field) {
  using ops::DeviceCosts;
  field("open_ms", &DeviceCosts::open, 1e-3);
  field("compile_ms", &DeviceCosts::compile, 1e-3);
  field("load_ms", &DeviceCosts::load, 1e-3);
  field("upload_gb_per_second", &DeviceCosts::upload, 1e9);
  field("download_gb_per_second", &DeviceCosts::download, 1e9);
}

nlohmann::ordered_json json_of(const ops::Rates& rates) {
  nlohmann::ordered_json json;
  for_rates([&](const char* name, auto field, double unit) { json[name] = rates.*field / unit; });
  return json;
}
ops::Rates parse_rates(const nlohmann::json& json) {
  ops::Rates rates;
  for_rates([&](const char* name, auto field, double unit) { rates.*field = measured(json, name) * unit; });
  return rates;
}

nlohmann::ordered_json json_of(const ops::PlacementCosts& costs) {
  nlohmann::ordered_json device = {{"name", costs.device.name}};
  for_device([&](const char* name, auto field, double unit) { device[name] = costs.device.*field / unit; });
  device["rates"] = json_of(costs.device.rates);
  return {{"device", device}, {"threads", costs.threads}, {"host", json_of(costs.host)}};
}
ops::PlacementCosts parse_placement(const nlohmann::json& json) {
  ops::PlacementCosts costs;
  const nlohmann::json& device = json.at("device");
  costs.device.name = device.at("name").get<std::string>();
  for_device([&](const char* name, auto field, double unit) {
    costs.device.*field = measured(device, name) * unit;
  });
  costs.device.rates = parse_rates(device.at("rates"));
  costs.threads = static_cast<int>(measured(json, "threads"));
  costs.host = parse_rates(json.at("host"));
  return costs;
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
  if (json.contains("placement")) profile.placement = parse_placement(json.at("placement"));
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
  nlohmann::ordered_json json = {{"version", kVersion},
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
  if (profile.placement) json["placement"] = json_of(*profile.placement);
  const auto fail = [&](const std::string& why) {
    throw UserError(fmt::format("cannot write '{}': {}", path, why));
  };
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail(error.message());
  NewFile file(path);
  std::ofstream out(file.temporary());
  out << json.dump(2) << '\n';
  out.close();
  if (!out) fail(std::strerror(errno));
  file.commit();
}

}  // namespace lanewise
