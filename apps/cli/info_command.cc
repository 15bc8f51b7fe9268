#include <fmt/format.h>

#include <string>
#include <thread>

#include "api/machine_profile.h"
#include "api/session.h"
#include "base/machine.h"
#include "base/size.h"
#include "command.h"
#include "gpu/device.h"
#include "gpu/modules/compiler.h"
#include "lanes/targets/target.h"
#include "process/print.h"

namespace lanewise::cli {

namespace {

void info_row(const std::string& name, const std::string& value) { print("{:<14}{}\n", name, value); }

std::string describe(gpu::Driver& driver, int ordinal) {
  const gpu::Properties gpu = driver.properties(ordinal);
  std::string text = fmt::format("{}, {}, {} multiprocessors, {}", gpu.name, gpu.architecture(),
                                 gpu.multiprocessors, format_size(gpu.memory));
  if (gpu.bandwidth > 0) text += fmt::format(" at {:.0f} GB/s", gpu.bandwidth / 1e9);
  try {
    return fmt::format("{}, {} free", text, format_size(driver.device(ordinal).free_memory()));
  } catch (const std::exception& error) {
    return fmt::format("{}; not usable: {}", text, error.what());
  }
}

/// A line for each GPU and one for CUDA, or a line with the reason why there is none.
void print_gpus() {
  try {
    gpu::Driver& driver = gpu::Driver::system();
    for (int i = 0; i < driver.device_count(); i++) info_row(fmt::format("GPU {}", i), describe(driver, i));
    std::string compiler;
    try {
      compiler = "kernels by NVRTC " + gpu::Compiler::system().version();
    } catch (const std::exception& error) {
      compiler = fmt::format("no kernels: {}", error.what());
    }
    info_row("CUDA", fmt::format("driver {}, {}; queries run there with --device cuda or auto",
                                 gpu::version_text(driver.version()), compiler));
  } catch (const std::exception& error) {
    info_row("GPU", fmt::format("none: {}", error.what()));
  }
}

/// The profile of `lanewise tune`, or how to make one.
void print_profile() {
  const std::string path = machine_profile_path();
  const LoadedProfile loaded = load_machine_profile(path, machine_cpu());
  if (!loaded.profile) {
    info_row("profile",
             loaded.note.empty() ? "none, defaults; 'lanewise tune' measures this machine" : loaded.note);
    return;
  }
  const MachineProfile& profile = *loaded.profile;
  const lanes::Tuning& tuning = profile.tuning;
  info_row("profile", fmt::format("{}: one core reads {:.1f} GB/s", path, profile.read_rate / 1e9));
  const auto below = [](uint32_t lanes) { return lanes == 0 ? "any" : fmt::format("{}", lanes); };
  const std::string rows =
      profile.vector_rows == 0 ? "" : fmt::format("; {} rows at a time", profile.vector_rows);
  info_row("", fmt::format("interleaved width {}; refill below {} (interleaved), {} (avx2), {} (avx512){}",
                           tuning.interleaved_width, below(tuning.refill_interleaved),
                           below(tuning.refill_packed_avx2), below(tuning.refill_packed_avx512), rows));
  const auto cost = [](double ns) { return ns > 0 ? fmt::format("{:.3f}", ns) : std::string("as stated"); };
  info_row("", fmt::format("matchers, ns per byte: contains {}, packed {}, rows {}, lazy {}",
                           cost(tuning.literal_ns), cost(tuning.packed_ns), cost(tuning.rows_ns),
                           cost(tuning.lazy_ns)));
  if (profile.placement) {
    const ops::DeviceCosts& gpu = profile.placement->device;
    info_row("", fmt::format("{} reads its memory at {:.0f} GB/s, and is sent data at {:.1f} GB/s", gpu.name,
                             gpu.rates.scan / 1e9, gpu.upload / 1e9));
  }
}

ExitCode print_info() {
  info_row("lanewise", LANEWISE_VERSION);
  info_row("processor", fmt::format("{}, {} cores", machine_cpu(), std::thread::hardware_concurrency()));
  std::string lanes;
  for (const lanes::Target target : lanes::supported_targets()) {
    lanes += (lanes.empty() ? "" : ", ") + std::string(lanes::name(target));
  }
  info_row("lanes", fmt::format("{} (simd is {})", lanes, lanes::name(lanes::simd())));
  const Session session;
  info_row("memory limit", format_size(session.budget().limit()));
  print_profile();
  print_gpus();
  return kOk;
}

}  // namespace

void add_info_command(CLI::App& app, Command& run) {
  app.add_subcommand("info", "Shows lanes, cores, memory and GPUs of this machine")->callback([&run] {
    run = print_info;
  });
}

}  // namespace lanewise::cli
