#include "lab/executors.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <thread>

#include "base/error.h"
#include "base/machine.h"
#include "gpu/device.h"
#include "gpu/opencl/opencl_device.h"
#include "pram/gpu/backends/backend.h"

namespace lanewise::cli::lab {

namespace {

const std::string kGroupSuffix = "-group";

ExecutorInfo probe(const char* name, const char* title, const std::function<std::string()>& device) {
  try {
    return {name, title, device(), ""};
  } catch (const std::exception& error) {
    return {name, title, "", error.what()};
  }
}

}  // namespace

std::vector<ExecutorInfo> executors() {
  const std::string cpu = machine_cpu();
  const std::string cores = fmt::format("{} × {}", std::thread::hardware_concurrency(), cpu);
  std::vector<ExecutorInfo> found = {{"interpreter", "Interpreter", fmt::format("one core of {}", cpu), ""},
                                     {"cpu", "Cores", cores, ""}};
  const auto add = [&](const char* name, const char* title, const std::function<std::string()>& device,
                       const std::function<pram::Backend&()>& backend) {
    const ExecutorInfo one = found.emplace_back(probe(name, title, device));
    const std::string reason = one.reason.empty() ? backend().no_group() : one.reason;
    found.push_back(
        {one.name + kGroupSuffix, one.title + ", one group", reason.empty() ? one.device : "", reason});
  };
  add(
      "cuda", "CUDA",
      [] {
        pram::cuda_backend();
        return gpu::Driver::system().properties(0).name;
      },
      pram::cuda_backend);
  add(
      "opencl", "OpenCL",
      [] {
        pram::opencl_backend();
        return gpu::OpenClDevice::system().name();
      },
      pram::opencl_backend);
  found.push_back({kTuned, "Tuned", cores, ""});
  return found;
}

ChosenExecutor executor_of(std::string_view name) {
  if (name == "interpreter") return {pram::Executor::kInterpreter};
  if (name == "cpu") return {pram::Executor::kCpu};
  const bool group = name.ends_with(kGroupSuffix);
  const std::string_view device = name.substr(0, name.size() - (group ? kGroupSuffix.size() : 0));
  if (device == "cuda") return {pram::Executor::kCuda, group};
  if (device == "opencl") return {pram::Executor::kOpenCl, group};
  throw UserError(fmt::format(
      "'{}' is not an executor; there are interpreter, cpu, cuda, cuda-group, opencl, opencl-group and tuned",
      name));
}

}  // namespace lanewise::cli::lab
