#include "study/study.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/session.h"
#include "base/error.h"
#include "base/machine.h"
#include "gpu/device.h"
#include "gpu/error.h"
#include "lanes/targets/target.h"
#include "process/interrupt.h"
#include "process/output_file.h"
#include "process/print.h"
#include "process/progress.h"
#include "study/bench/energy.h"
#include "study/bench/index_device.h"
#include "study/bench/read_rate.h"
#include "study/bench/report.h"
#include "study/report/report.h"

namespace lanewise::cli::study {

namespace {

using Clock = std::chrono::steady_clock;

/// Of study.json. Format 1 had no failed experiments and no energy.
constexpr int kFormat = 2;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  OutputFile file(path.string());
  file.write(text);
  file.close();
}

std::string first_word(const std::string& path) {
  std::string text = read_text(path);
  text.resize(std::min(text.find_first_of(" \n"), text.size()));
  return text;
}

/// "48 KiB, 2048 KiB, ..." of one core.
Json caches() {
  Json sizes = Json::array();
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    if (!std::filesystem::exists(folder) || first_word(folder + "type") == "Instruction") continue;
    sizes.push_back(fmt::format("L{} {}", first_word(folder + "level"), first_word(folder + "size")));
  }
  return sizes;
}

std::string gpu(const std::string& device) {
  if (device == "cpu") return "";
  try {
    return gpu::Driver::system().properties(0).name;
  } catch (const gpu::DeviceError&) {
    return "";
  }
}

Json machine(const Parameters& parameters, const Cancellation& cancellation) {
  utsname system{};
  ::uname(&system);
  std::string targets;
  for (const lanes::Target target : lanes::kTargets) {
    if (lanes::supported(target)) targets += (targets.empty() ? "" : ", ") + std::string(lanes::name(target));
  }
  const int cores = machine_cores();
  const double one = bench::read_rate(cancellation);
  const bench::RandomReads random = bench::random_reads(cancellation);
  const bench::Energy energy;
  return {{"processor", machine_cpu()},
          {"cores", cores},
          {"memory", machine_memory()},
          {"caches", caches()},
          {"lanes", targets},
          {"gpu", gpu(parameters.device)},
          {"system", fmt::format("{} {}", system.sysname, system.release)},
          {"compiler", __VERSION__},
          {"load", first_word("/proc/loadavg")},
          {"read_rate", one},
          {"read_rate_all", std::max(one, bench::read_rate(cancellation, cores))},
          {"random_reads", random.independent},
          {"dependent_reads", random.dependent},
          {"no_processor_energy", energy.why_no_processor()},
          {"no_gpu_energy", energy.why_no_gpu()}};
}

/// The conditions under which a kept result must have been measured.
Json key_of(const Parameters& parameters) {
  return {{"version", LANEWISE_VERSION},       {"processor", machine_cpu()}, {"quick", parameters.quick},
          {"most_rows", parameters.most_rows}, {"seed", parameters.seed},    {"repeat", parameters.repeat},
          {"device", parameters.device}};
}

/// A result of an earlier run; null if none fits.
Json kept(const std::filesystem::path& path, const Json& key) {
  const Json read = Json::parse(read_text(path), nullptr, false);
  return read.is_object() && read.value("key", Json()) == key ? read : Json();
}

Json to_json(const std::vector<bench::Group>& groups) {
  Json list = Json::array();
  for (const bench::Group& group : groups) list.push_back(bench::to_json(group));
  return list;
}

/// One row for each level of each group, as lines of JSON.
std::string rows_of(const Json& study) {
  std::string lines;
  for (const Json& experiment : study["experiments"]) {
    for (const Json& group : experiment["groups"]) {
      Json about = group;
      for (const char* name : {"levels", "title", "rows", "bytes"}) about.erase(name);
      for (const Json& level : group["levels"]) {
        Json row = {{"part", experiment["part"]}, {"experiment", experiment["name"]},
                    {"title", group["title"]},    {"rows", group["rows"]},
                    {"bytes", group["bytes"]},    {"about", about.dump()}};
        for (const char* name :
             {"level", "not_offered", "seconds", "runs", "spread", "occupancy", "used", "hash"}) {
          row[name] = level.value(name, Json());
        }
        lines += row.dump() + "\n";
      }
    }
  }
  return lines;
}

void write_parquet(const std::filesystem::path& folder, const Json& study) {
  const std::string lines = (folder / "study.ndjson").string(), to = (folder / "study.parquet").string();
  write_text(lines, rows_of(study));
  const auto quoted = [](std::string text) {
    for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
    return "'" + text + "'";
  };
  SessionOptions options;
  options.fallback_duckdb = true;
  Session session(options);
  session.run(fmt::format("COPY (FROM read_json({}, sample_size = -1)) TO {} (FORMAT parquet)", quoted(lines),
                          quoted(to)));
  std::filesystem::remove(lines);
}

std::string minutes(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

size_t count_busy(const Json& groups) {
  size_t busy = 0;
  for (const Json& group : groups) {
    for (const Json& level : group["levels"]) busy += level.value("spread", 0.0) > bench::kBusy;
  }
  return busy;
}

/// Measures one experiment, or takes the results of an earlier run.
class Runner {
 public:
  Runner(const Parameters& parameters, const std::filesystem::path& folder, const Cancellation& cancellation)
      : parameters_(parameters), folder_(folder), key_(key_of(parameters)), cancellation_(cancellation) {
    for (const Experiment& experiment : experiments()) {
      if (is_wanted(experiment)) weight_ += experiment.weight;
    }
    weight_left_ = weight_;
  }

  Json run() {
    Json study = {
        {"format", kFormat}, {"key", key_}, {"machine", machine_once()}, {"experiments", Json::array()}};
    for (const Experiment& experiment : experiments()) {
      Json result = is_wanted(experiment) ? one(experiment) : kept(path_of(experiment.id()), key_);
      if (result.is_null()) continue;  // of another part, not measured yet
      check_agreement(result["groups"]);
      study["experiments"].push_back(std::move(result));
    }
    progress_.finish();
    return study;
  }

 private:
  bool is_wanted(const Experiment& experiment) const {
    return std::ranges::count(parameters_.parts, experiment.part) > 0;
  }

  std::filesystem::path path_of(const std::string& name) const {
    return folder_ / "parts" / (name + ".json");
  }

  Json machine_once() {
    Json known = kept(path_of("machine"), key_);
    if (known.is_null()) {
      progress_.report("measuring the machine's memory", 0);
      known = {{"key", key_}, {"machine", machine(parameters_, cancellation_)}};
      known["machine"]["date"] = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
      write_text(path_of("machine"), known.dump(1));
    }
    read_rate_ = known["machine"]["read_rate"].get<double>();
    return known["machine"];
  }

  Json one(const Experiment& experiment) {
    Json result = kept(path_of(experiment.id()), key_);
    if (!result.is_null() && !result.contains("failed")) {
      weight_left_ -= experiment.weight;
      print("{:<24} kept\n", experiment.id());
      return result;
    }
    const auto start = Clock::now();
    Measure measure(parameters_, std::max(read_rate_, 1.0), cancellation_,
                    [&](const std::string& what) { progress_.report(left() + what, share()); });
    std::string failed;
    try {
      experiment.run(measure);
    } catch (const CancelledError&) {
      throw;
    } catch (const bench::WrongResult&) {
      throw;
    } catch (const std::exception& error) {  // for example, a device with too little memory
      failed = error.what();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    done_seconds_ += seconds;
    done_weight_ += experiment.weight;
    weight_left_ -= experiment.weight;
    result = {{"key", key_},
              {"part", experiment.part},
              {"name", experiment.name},
              {"seconds", seconds},
              {"groups", to_json(measure.groups())}};
    if (!failed.empty()) result["failed"] = failed;
    write_text(path_of(experiment.id()), result.dump(1));
    progress_.finish();
    const size_t busy = count_busy(result["groups"]);
    print("{:<24} {:>6}{}{}{}\n", experiment.id(), minutes(seconds),
          failed.empty() ? "" : ", not measured: " + failed,
          busy > 0 ? fmt::format(", {} measurements with a spread above 10 %", busy) : "",
          weight_left_ > 0 ? fmt::format(", {} left", minutes(estimate())) : "");
    flush_printed();
    return result;
  }

  double estimate() const { return done_weight_ > 0 ? weight_left_ * done_seconds_ / done_weight_ : 0; }
  std::string left() const { return done_weight_ > 0 ? fmt::format("{} left: ", minutes(estimate())) : ""; }
  double share() const { return 1 - weight_left_ / weight_; }

  const Parameters& parameters_;
  const std::filesystem::path folder_;
  const Json key_;
  const Cancellation& cancellation_;
  Progress progress_;
  double read_rate_ = 0;
  double weight_ = 0, weight_left_ = 0, done_weight_ = 0, done_seconds_ = 0;
};

}  // namespace

void check_agreement(const Json& groups) {
  for (const Json& group : groups) {
    const Json* reference = nullptr;
    for (const Json& level : group["levels"]) {
      if (!level.contains("hash")) continue;
      if (reference == nullptr) reference = &level;
      if (level["hash"] == (*reference)["hash"]) continue;
      throw bench::WrongResult(
          fmt::format("levels disagree on '{}': {} gives {}, {} gives {}", group["title"].get<std::string>(),
                      (*reference)["level"].get<std::string>(), (*reference)["hash"].get<std::string>(),
                      level["level"].get<std::string>(), level["hash"].get<std::string>()));
    }
  }
}

Json read_study(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / "study.json";
  Json study = Json::parse(read_text(path), nullptr, false);
  const int format = study.is_object() ? study.value("format", 0) : 0;
  if (format <= 0) {
    throw UserError(fmt::format("'{}' is not a study's results; `lanewise study -o {}` makes them",
                                path.string(), folder));
  }
  if (format > kFormat) {
    throw UserError(fmt::format("'{}' has format {}; this version reads formats 1 to {}", path.string(),
                                format, kFormat));
  }
  return study;
}

namespace {

void write_results(const std::filesystem::path& folder, const Json& study) {
  write_text(folder / "study.json", study.dump());
  write_parquet(folder, study);
  write_text(folder / "report.html", report(study));
  print("\nThe report: {}\n", (folder / "report.html").string());
}

}  // namespace

void run_study(const Parameters& parameters, const std::string& folder) {
  const std::filesystem::path path(folder);
  bench::find_device(parameters.device);  // a missing device is an error now, not in an hour
  std::error_code error;
  std::filesystem::create_directories(path / "parts", error);
  if (error) throw UserError(fmt::format("cannot make the folder '{}': {}", folder, error.message()));
  const Interrupt interrupt;
  write_results(path, Runner(parameters, path, interrupt.cancellation()).run());
}

void write_report(const std::string& folder) {
  const std::filesystem::path path(folder);
  const Json known = Json::parse(read_text(path / "parts" / "machine.json"), nullptr, false);
  if (!known.is_object() || !known.contains("machine")) {
    throw UserError(
        fmt::format("'{}' has no results of a study; `lanewise study -o {}` measures them", folder, folder));
  }
  Json study = {{"format", kFormat},
                {"key", known["key"]},
                {"machine", known["machine"]},
                {"experiments", Json::array()}};
  for (const Experiment& experiment : experiments()) {
    Json result = kept(path / "parts" / (experiment.id() + ".json"), known["key"]);
    if (result.is_null()) continue;
    check_agreement(result["groups"]);
    study["experiments"].push_back(std::move(result));
  }
  write_results(path, study);
}

}  // namespace lanewise::cli::study
