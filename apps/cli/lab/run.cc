#include "lab/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/memory.h"
#include "lab/tuned.h"
#include "pram/gpu/group.h"
#include "pram/gpu/run.h"
#include "pram/inputs/text.h"
#include "pram/interpreter/interpreter.h"
#include "pram/run.h"
#include "primitives/parallel.h"

namespace lanewise::cli::lab {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr size_t kMostProgram = 256 << 10;  // bytes
constexpr size_t kMostCells = 1'000;        // cells of an output that are sent
constexpr int kMostValues = 64;             // in a request
constexpr int kMostMeasured = 5;
constexpr uint64_t kDeviceSteps = 1'000'000;  // a kernel cannot be cancelled, so its loops must end soon
constexpr std::chrono::milliseconds kMeasured{300};

/// Limits the depth and the number of values of JSON, so that a short request does not become large.
Json parse_small(const std::string& text) {
  int values = 0;
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > 2 || ++values > kMostValues) throw UserError("the request has too many values");
      return true;
    });
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("the request is not JSON: {}", error.what()));
  }
}

std::string string_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string())
    throw UserError(fmt::format("the request has no string '{}'", name));
  return found->get<std::string>();
}

pram::ActiveForm active_of(std::string_view name) {
  if (name == "auto") return pram::ActiveForm::kAuto;
  if (name == "bitset") return pram::ActiveForm::kBitset;
  if (name == "list") return pram::ActiveForm::kList;
  throw UserError(
      fmt::format("'{}' is not a representation of active processors; choose auto, bitset or list", name));
}

/// The page computes the same hash of its own result. All NaNs count as one value, since GPUs give other
/// ones.
uint32_t checksum(const pram::Array& array) {
  uint32_t sum = 2'166'136'261u;  // FNV-1a, by 32 bits
  for (pram::Word word : array.words) {
    if (array.type == pram::Type::kReal && std::isnan(pram::real_of(word))) word = -1;
    const auto bits = static_cast<uint64_t>(word);
    for (const auto half : {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)})
      sum = (sum ^ half) * 16'777'619u;
  }
  return sum;
}

Json outputs_of(const pram::Arrays& outputs) {
  Json list = Json::array();
  for (const auto& [name, array] : outputs) {
    Json cells = Json::array();
    for (size_t i = 0; i < std::min(array.words.size(), kMostCells); ++i)
      cells.push_back(pram::to_text(array.type, array.words[i]));
    list.push_back({{"name", name},
                    {"extents", array.extents},
                    {"cells", std::move(cells)},
                    {"checksum", checksum(array)}});
  }
  return list;
}

/// The run as a function; the preparation is done once.
std::function<pram::Result()> prepared(const Job& job, const pram::Program& program,
                                       const pram::Arrays& inputs, const pram::Options& options) {
  if (job.tuned) {
    const pram::Interpreter checked(program, inputs,
                                    options);  // inputs that do not fit, and the memory limit
    return [&inputs, tuned = tuned_version(job.program)] {
      const auto cores = static_cast<int>(std::thread::hardware_concurrency());
      return with_threads(cores, [&] { return pram::Result{tuned(inputs), {}, {}, {}}; });
    };
  }
  if (!is_device(options.executor)) return [&] { return pram::run(program, inputs, options); };
  pram::Backend& backend =
      options.executor == pram::Executor::kCuda ? pram::cuda_backend() : pram::opencl_backend();
  if (options.one_group) check_group(options, backend);
  const auto compiled = std::make_shared<pram::DeviceProgram>(program, options);
  const std::shared_ptr<pram::Code> code = pram::build(*compiled, backend);
  return [=, &inputs, &backend] { return pram::run_on_device(*compiled, *code, inputs, backend); };
}

}  // namespace

Job parse_job(const std::string& json) {
  const Json object = parse_small(json);
  if (!object.is_object()) throw UserError("the request is not a JSON object");
  Job job;
  job.program = string_of(object, "program");
  job.input = string_of(object, "input");
  const std::string executor = string_of(object, "executor");
  job.tuned = executor == kTuned;
  if (!job.tuned) job.on = executor_of(executor);
  if (job.program.size() > kMostProgram)
    throw UserError(fmt::format("the program has more than {} bytes", kMostProgram));
  if (object.contains("active")) job.active = active_of(string_of(object, "active"));
  if (const auto measure = object.find("measure"); measure != object.end())
    job.measure = measure->is_boolean() && measure->get<bool>();
  if (const auto without = object.find("without"); without != object.end()) {
    for (const Json& name : *without) {
      if (!name.is_string()) throw UserError("'without' of the request is not a list of names");
      job.without.push_back(name.get<std::string>());
    }
  }
  return job;
}

std::string run_job(const Job& job, const Limits& limits, const Cancellation& cancellation,
                    std::atomic<uint64_t>& steps) {
  MemoryBudget budget(limits.memory);
  const pram::Program program = pram::Program::parse(job.program);
  const pram::Arrays inputs = pram::read_text_inputs(program, job.input, &budget).arrays;
  cancellation.check();
  pram::Options options;
  options.max_steps = is_device(job.on.executor) ? std::min(limits.steps, kDeviceSteps) : limits.steps;
  options.cancellation = &cancellation;
  options.steps = &steps;
  options.budget = &budget;
  options.executor = job.on.executor;
  options.one_group = job.on.one_group;
  options.active = job.active;
  for (const std::string& name : job.without) options.passes = pram::without(options.passes, name);

  const auto begin = Clock::now();
  const std::function<pram::Result()> run = prepared(job, program, inputs, options);
  const std::chrono::duration<double> compiled = Clock::now() - begin;
  std::chrono::duration<double> best{};
  pram::Result result;
  const auto start = Clock::now();
  int runs = 0;
  do {
    const auto from = Clock::now();
    result = run();
    const std::chrono::duration<double> took = Clock::now() - from;
    best = runs == 0 ? took : std::min(best, took);
  } while (++runs < kMostMeasured && job.measure && Clock::now() - start < kMeasured);

  uint64_t launches = 0;
  for (const pram::KernelCost& kernel : result.kernels) launches += kernel.launches;
  const Json answer = {{"outputs", outputs_of(result.outputs)},
                       {"seconds", best.count()},
                       {"compiled", compiled.count()},
                       {"runs", runs},
                       {"launches", launches},
                       {"steps", result.cost.steps},
                       {"work", result.cost.work},
                       {"depth", result.cost.depth}};
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lanewise::cli::lab
