#include <fmt/format.h>

#include <fstream>
#include <string>
#include <thread>

#include "api/session.h"
#include "base/size.h"
#include "command.h"
#include "lanes/target.h"

namespace lanewise::cli {

namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

void print_info() {
  const auto row = [](const char* name, const std::string& value) { fmt::print("{:<14}{}\n", name, value); };
  row("lanewise", LANEWISE_VERSION);
  row("processor", fmt::format("{}, {} cores", cpu_name(), std::thread::hardware_concurrency()));
  std::string lanes;
  for (const lanes::Target target : lanes::supported_targets()) {
    lanes += (lanes.empty() ? "" : ", ") + std::string(lanes::name(target));
  }
  row("lanes", fmt::format("{} (simd is {})", lanes, lanes::name(lanes::simd())));
  const Session session;
  row("memory limit", format_size(session.budget().limit()));
  row("GPU", "not used: this version runs on cores");
}

}  // namespace

void add_info_command(CLI::App& app, std::function<void()>& run) {
  app.add_subcommand("info", "Shows the machine as Lanewise sees it: lanes, cores, memory")->callback([&run] {
    run = print_info;
  });
}

}  // namespace lanewise::cli
