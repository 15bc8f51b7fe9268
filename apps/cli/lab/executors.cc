#include "lab/executors.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <thread>

#include "base/error.h"
#include "base/machine.h"
#include "device/device.h"
#include "device/opencl_device.h"
#include "pram/device/backend.h"

namespace lanewise::cli::lab {

namespace {

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
  return {{"interpreter", "Interpreter", fmt::format("one core of {}", cpu), ""},
          {"cpu", "Cores", cores, ""},
          probe("cuda", "CUDA",
                [] {
                  pram::cuda_backend();
                  return device::Driver::system().properties(0).name;
                }),
          probe("opencl", "OpenCL",
                [] {
                  pram::opencl_backend();
                  return device::OpenClDevice::system().name();
                }),
          {kTuned, "Tuned", cores, ""}};
}

pram::Executor executor_of(std::string_view name) {
  if (name == "interpreter") return pram::Executor::kInterpreter;
  if (name == "cpu") return pram::Executor::kCpu;
  if (name == "cuda") return pram::Executor::kCuda;
  if (name == "opencl") return pram::Executor::kOpenCl;
  throw UserError(
      fmt::format("'{}' is not an executor; there are interpreter, cpu, cuda, opencl and tuned", name));
}

}  // namespace lanewise::cli::lab
