#include "api/machine_profile.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/testing/temporary_folder.h"

namespace lanewise {
namespace {

using ::testing::HasSubstr;

class Profiles : public ::testing::Test {
 protected:
  const ops::Rates kRates{0.5, 1e9, 2e9, 4e9, 8e9, 16e6, 32e6, 64e6, 128e6, 8e6};
  const MachineProfile kProfile{
      "A processor",
      12.5e9,
      4096,
      {4, 3, 24, 56, 0.05, 0.15, 0.8, 2.5},
      ops::PlacementCosts{{"A GPU", 0.25, 0.125, 0.5, 32e9, 16e9, kRates}, kRates, 16}};

  std::string path() const { return folder_.file("deep/profile.json"); }
  /// Loads the saved profile with one entry replaced.
  LoadedProfile with(const std::string& name, const nlohmann::json& value) const {
    save_machine_profile(kProfile, path());
    std::ifstream in(path());
    nlohmann::json json = nlohmann::json::parse(in);
    json[name] = value;
    std::ofstream(path()) << json;
    return load_machine_profile(path(), "A processor");
  }

  TemporaryFolder folder_;
};

TEST_F(Profiles, AreReadAsTheyWereWritten) {
  save_machine_profile(kProfile, path());
  const LoadedProfile loaded = load_machine_profile(path(), "A processor");
  EXPECT_EQ(loaded.profile, kProfile);
  EXPECT_EQ(loaded.note, "");
  save_machine_profile({.processor = "B"}, path());  // overwrites the first one
  EXPECT_EQ(load_machine_profile(path(), "B").profile, MachineProfile{.processor = "B"});
}

TEST_F(Profiles, NoFileIsNoNote) {
  for (const std::string& nothing : {path(), std::string()}) {
    const LoadedProfile loaded = load_machine_profile(nothing, "A processor");
    EXPECT_FALSE(loaded.profile);
    EXPECT_EQ(loaded.note, "");
  }
}

TEST_F(Profiles, OthersAreNotUsed) {
  EXPECT_TRUE(with("vector_rows", 8192).profile);
  const std::tuple<const char*, nlohmann::json, const char*> kBad[] = {
      {"version", 1, "another version"},
      {"processor", "B", "another processor, B"},
      {"processor", 7, "broken"},
      {"interleaved_width", 6, "neither 4 nor 8"},
      {"interleaved_width", 0, "neither 4 nor 8"},
      {"packed_ns", -1, "not between 0 and 1000"},
      {"rows_ns", "fast", "broken"},
      {"refill_interleaved", 5, "not between 1 and 4"},
      {"refill_packed_avx2", 33, "not between 1 and 32"},
      {"refill_packed_avx512", -1, "not between 1 and 64"},
      {"refill_packed_avx512", 1.5, "not between 1 and 64"},
      {"vector_rows", 1, "not between"},
      {"read_gb_per_second", "fast", "broken"},
  };
  for (const auto& [name, value, why] : kBad) {
    const LoadedProfile loaded = with(name, value);
    EXPECT_FALSE(loaded.profile) << name;
    EXPECT_THAT(loaded.note, HasSubstr(why));
    EXPECT_THAT(loaded.note, HasSubstr(path()));
  }
}

TEST_F(Profiles, OfMachinesWithoutGpusHaveNoPlacement) {
  MachineProfile without = kProfile;
  without.placement.reset();
  save_machine_profile(without, path());
  EXPECT_EQ(load_machine_profile(path(), "A processor").profile, without);
}

TEST_F(Profiles, BadPlacementIsNotUsed) {
  save_machine_profile(kProfile, path());
  std::ifstream in(path());
  const nlohmann::json good = nlohmann::json::parse(in).at("placement");
  EXPECT_TRUE(with("placement", good).profile);
  for (const char* place : {"/device/upload_gb_per_second", "/device/name",
                            "/device/rates/scan_gb_per_second", "/host/start_us", "/threads"}) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(place)] = 0;
    EXPECT_THAT(with("placement", bad).note, HasSubstr(path())) << place;
    EXPECT_FALSE(with("placement", bad).profile) << place;
  }
}

TEST_F(Profiles, BrokenFilesAreNotUsed) {
  save_machine_profile(kProfile, path());
  for (const char* text : {"", "{", "[]", "null", "{\"version\": 3}", "\xff"}) {
    std::ofstream(path()) << text;
    const LoadedProfile loaded = load_machine_profile(path(), "A processor");
    EXPECT_FALSE(loaded.profile) << text;
    EXPECT_THAT(loaded.note, HasSubstr("broken")) << text;
  }
  EXPECT_THAT(load_machine_profile(folder_.path(), "A processor").note, HasSubstr("not used"));
}

TEST_F(Profiles, WhatCannotBeWrittenIsTold) {
  std::ofstream(folder_.file("file")) << "x";
  EXPECT_THROW(save_machine_profile(kProfile, folder_.file("file/profile.json")), UserError);
  EXPECT_THROW(save_machine_profile(kProfile, ""), UserError);
}

}  // namespace
}  // namespace lanewise
