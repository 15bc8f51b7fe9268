#include "gpu/modules/compiler.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/testing/temporary_folder.h"
#include "base/testing/test_size.h"
#include "gpu/error.h"
#include "gpu/modules/build_id.h"
#include "gpu/modules/kernels.h"
#include "gpu/testing/fake_driver.h"
#include "gpu/testing/nvrtc.h"

namespace lanewise::gpu {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr char kAddOne[] = R"(
extern "C" __global__ void add_one(unsigned char* bytes, unsigned long long count) {
  const auto i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < count) bytes[i]++;
})";

std::vector<std::string> names(const KernelSource& source) {
  std::vector<std::string> names;
  for (const auto& [name, text] : included_headers(source)) names.push_back(name);
  return names;
}

TEST(Headers, OfTheLanesAreEmbedded) {
  EXPECT_THAT(std::string(embedded_header("lanes/lane.h")), HasSubstr("LANES_FN"));
  std::ifstream in(fs::path(LANEWISE_SOURCE_DIR) / "engine/lanes/automata/rows-inl.h");
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(embedded_header("lanes/automata/rows-inl.h"), text.str());
  EXPECT_TRUE(embedded_header("lanes/targets/target.h").empty()) << "this one needs the standard library";
}

TEST(Headers, IncludedOnesAreFoundOnceEach) {
  const KernelSource source{.name = "test",
                            .text =
                                "#include \"own.h\"\n  #  include \"own.h\"\n#include \"missing.h\"\n"
                                "#include <system.h>\n// #include \"lanes/search/find-inl.h\"\n",
                            .options = {},
                            .headers = {{"own.h", "#include \"other.h\"\n#include \"lanes/lane.h\""},
                                        {"other.h", "#include \"own.h\""},
                                        {"unused.h", "#error"}}};
  EXPECT_THAT(names(source), testing::ElementsAre("own.h", "other.h", "lanes/lane.h"));
  EXPECT_THAT(names({.name = "test", .text = "#include \"lanes/automata/rows-inl.h\""}),
              testing::Contains("lanes/lane.h"));
}

TEST(CompilerLibrary, MissingIsSaid) {
  try {
    Compiler compiler("libno-such-nvrtc.so");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("NVRTC"), HasSubstr("was not found"), HasSubstr("libno-such-nvrtc.so")));
  }
}

TEST(CacheKey, EverythingCounts) {
  const KernelSource source{
      .name = "a", .text = "#include \"h\"", .options = {"-DA"}, .headers = {{"h", "1"}}};
  const std::string key = cache_key(source, "sm_90", 13000);
  EXPECT_EQ(cache_key(source, "sm_90", 13000), key);
  EXPECT_NE(cache_key(source, "sm_80", 13000), key);
  EXPECT_NE(cache_key(source, "sm_90", 12090), key);
  const auto changed = [&](auto change) {
    KernelSource other = source;
    change(other);
    return cache_key(other, "sm_90", 13000);
  };
  EXPECT_NE(changed([](KernelSource& s) { s.text += " "; }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.name = "b"; }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.options = {}; }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.options.push_back("-DB"); }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.headers[0].second = "2"; }), key);
  EXPECT_EQ(changed([](KernelSource& s) { s.headers.emplace_back("unused", "3"); }), key);
}

TEST(AheadKey, EverythingButTheDriverCounts) {
  const KernelSource source{
      .name = "a", .text = "#include \"h\"", .options = {"-DA"}, .headers = {{"h", "1"}}};
  const std::string key = ahead_key(source, "sm_90");
  EXPECT_EQ(ahead_key(source, "sm_90"), key);
  EXPECT_NE(ahead_key(source, "sm_80"), key);
  const auto changed = [&](auto change) {
    KernelSource other = source;
    change(other);
    return ahead_key(other, "sm_90");
  };
  EXPECT_NE(changed([](KernelSource& s) { s.text += " "; }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.name = "b"; }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.options = {}; }), key);
  EXPECT_NE(changed([](KernelSource& s) { s.headers[0].second = "2"; }), key);
}

class CompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  }
};

TEST_F(CompilerTest, EveryKernelOfTheRepositoryCompiles) {
  if (kSanitized) GTEST_SKIP() << "the compiler is not what is sanitized";
  int kernels = 0;
  for (const char* folder : {"engine", "bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(LANEWISE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cu") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      if (text.str().find("#include <") != std::string::npos)
        continue;  // nvcc's header, which needs a library
      const bool is_odd = kernels % 2 != 0;
      for (const char* architecture : {"sm_80", "sm_90"}) {
        if (!test_size(false, false, true) && is_odd == (architecture == std::string("sm_80")))
          continue;  // one on each run
        const std::string image =
            Compiler::system().compile({.name = entry.path().filename(),
                                        .text = text.str(),
                                        .options = {"--device-as-default-execution-space"}},
                                       architecture);
        EXPECT_THAT(image, testing::StartsWith("\x7f"
                                               "ELF"))
            << entry.path();
      }
      kernels++;
    }
  }
  EXPECT_GE(kernels, 1);
}

TEST_F(CompilerTest, ABrokenKernelIsABugWithItsLog) {
  try {
    Compiler::system().compile({.name = "broken", .text = "__global__ void f() { nothing(); }"}, "sm_90");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("kernel broken does not compile for sm_90"), HasSubstr("nothing")));
  }
}

TEST_F(CompilerTest, AnUnknownArchitectureIsSaid) {
  try {
    Compiler::system().compile({.name = "test", .text = kAddOne}, "sm_35");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not compile for sm_35"));
  }
}

TEST_F(CompilerTest, OptionsAndHeadersReachTheCompiler) {
  const KernelSource source{
      .name = "test",
      .text = "#include \"own.h\"\n#ifndef A\n#error A\n#endif\n#ifndef OWN\n#error OWN\n#endif",
      .options = {"-DA"},
      .headers = {{"own.h", "#define OWN"}}};
  EXPECT_FALSE(Compiler::system().compile(source, "sm_80").empty());
}

using BuildTest = FakeDriverTest;

TEST_F(BuildTest, TheSecondTimeComesFromTheCache) {
  if (!find_nvrtc(LANEWISE_SOURCE_DIR)) GTEST_SKIP() << "NVRTC is not here";
  const TemporaryFolder folder;
  KernelCache cache(folder.path());
  Driver driver(library_);
  const KernelSource source{.name = "test", .text = kAddOne};
  EXPECT_FALSE(build(driver.device(0), source, cache).cached);
  const BuiltModule second = build(driver.device(0), source, cache);
  EXPECT_TRUE(second.cached);
  second.module.kernel("add_one");
  for (const auto& entry : fs::directory_iterator(folder.path())) fs::resize_file(entry, 10);
  EXPECT_FALSE(build(driver.device(0), source, cache).cached) << "a broken entry is compiled again";
  EXPECT_TRUE(build(driver.device(0), source, cache).cached);
}

/// A library without code whose build ID is this byte.
std::string library_of_id(char id) {
  std::string file(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), 0);
  const Elf64_Nhdr note{4, 1, NT_GNU_BUILD_ID};
  file.append(reinterpret_cast<const char*>(&note), sizeof note);
  file += std::string("GNU\0", 4) + std::string({id, 0, 0, 0});
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  std::memcpy(file.data(), &header, sizeof header);
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = file.size() - segment.p_offset;
  std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
  return file;
}

TEST(BuildId, IsThatOfTheFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "library.so";
  EXPECT_EQ(build_id(file), "") << "there is no file";
  const std::string whole = library_of_id('\x5a');
  for (size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(file) << whole.substr(0, size);
    EXPECT_EQ(build_id(file), size == whole.size() ? "5a" : "") << size;
  }
}

TEST(CacheKey, TellsVersionsOfTheCompilerApart) {
  const TemporaryFolder folder;
  const KernelSource source{.name = "test", .text = kAddOne};
  const fs::path older = folder.path() / "libnvrtc.so.13.0", newer = folder.path() / "libnvrtc.so.13.1";
  const fs::path link = folder.path() / "libnvrtc.so.13";
  std::ofstream(older) << "one";
  std::ofstream(newer) << "other";
  const char* const before = std::getenv("LANEWISE_NVRTC");
  const std::string restored = before == nullptr ? "" : before;
  ::setenv("LANEWISE_NVRTC", link.c_str(), 1);
  fs::create_symlink(older, link);
  EXPECT_EQ(Compiler::system_file(), "libnvrtc.so.13.0 3");
  const std::string key = cache_key(source, "sm_90", 13000);
  fs::remove(link);
  fs::create_symlink(newer, link);
  EXPECT_EQ(Compiler::system_file(), "libnvrtc.so.13.1 5");
  EXPECT_NE(cache_key(source, "sm_90", 13000), key);
  const std::string of_size = cache_key(source, "sm_90", 13000);
  std::ofstream(newer) << library_of_id('a');
  EXPECT_EQ(Compiler::system_file(), "libnvrtc.so.13.1 61");
  const std::string of_build = cache_key(source, "sm_90", 13000);
  EXPECT_NE(of_build, of_size);
  std::ofstream(newer) << library_of_id('b');  // of the same name and size
  EXPECT_NE(cache_key(source, "sm_90", 13000), of_build);
  fs::remove(link);
  EXPECT_EQ(Compiler::system_file(), "");
  restored.empty() ? ::unsetenv("LANEWISE_NVRTC") : ::setenv("LANEWISE_NVRTC", restored.c_str(), 1);
}

TEST_F(BuildTest, WhatWasCompiledAheadNeedsNoCompiler) {
  const TemporaryFolder folder;
  const KernelCache ahead(folder.path() / "ahead");
  KernelCache cache(folder.path() / "cache");
  Driver driver(library_);
  Device& device = driver.device(0);
  const KernelSource source{.name = "test", .text = kAddOne};
  const std::string key = ahead_key(source, device.properties().architecture());
  ahead.store(key, "image");
  EXPECT_TRUE(build(device, source, cache, ahead).cached);
  EXPECT_FALSE(fs::exists(cache.folder())) << "it is not kept twice";

  ahead.store(key, "!an image that the driver refuses");
  cache.store(cache_key(source, device.properties().architecture(), driver.version()), "image");
  EXPECT_TRUE(build(device, source, cache, ahead).cached) << "what the driver refuses counts as none";
}

}  // namespace
}  // namespace lanewise::gpu
