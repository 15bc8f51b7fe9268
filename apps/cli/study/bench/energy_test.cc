#include "study/bench/energy.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/testing/temporary_folder.h"

namespace lanewise::cli::bench {
namespace {

using testing::HasSubstr;

class EnergyTest : public testing::Test {
 protected:
  EnergyTest() {
    for (const char* name : {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"}) {
      std::filesystem::create_directories(folder_ / name);
    }
    write("intel-rapl:0/name", "package-0"), write("intel-rapl:1/name", "package-1");
    write("intel-rapl:0:0/name", "core");
    write("intel-rapl:0/max_energy_range_uj", "10000000"),
        write("intel-rapl:1/max_energy_range_uj", "10000000");
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text << '\n';
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(EnergyTest, AddsPackagesAndSeesTheirCountersStartAgain) {
  write("intel-rapl:0/energy_uj", "9000000"), write("intel-rapl:1/energy_uj", "1000000");
  write("intel-rapl:0:0/energy_uj", "0");
  Energy energy(folder_);
  EXPECT_EQ(energy.why_no_processor(), "");
  const Joules before = energy.read();
  write("intel-rapl:0/energy_uj", "500000"), write("intel-rapl:1/energy_uj", "3000000");
  write("intel-rapl:0:0/energy_uj", "7000000");
  const Joules used = (energy.read() - before) / 2;
  ASSERT_TRUE(used.processor);
  EXPECT_NEAR(*used.processor, (1.5 + 2.0) / 2, 1e-9);
}

TEST_F(EnergyTest, SaysWhyThereIsNoCounter) {
  EXPECT_THAT(Energy(folder_).why_no_processor(), HasSubstr("administrator"));
  EXPECT_FALSE(Energy(folder_).read().processor);
  EXPECT_THAT(Energy("/nowhere").why_no_processor(), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace lanewise::cli::bench
