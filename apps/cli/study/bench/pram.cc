#include "study/bench/pram.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/machine.h"
#include "gpu/error.h"
#include "output/result_writer.h"
#include "pram/gpu/group.h"
#include "pram/gpu/run.h"
#include "pram/inputs/graph.h"
#include "pram/inputs/text.h"
#include "pram/library.h"
#include "pram/run.h"
#include "primitives/groups/hash.h"
#include "primitives/parallel.h"
#include "study/bench/index_device.h"
#include "study/bench/pram_grid.h"
#include "study/bench/pram_twin.h"
#include "study/data/random_edges.h"

namespace lanewise::cli::bench {

namespace {

using pram::Arrays;

/// A bundled program, and the sizes at which it is measured.
struct PramSubject {
  const char* name;
  std::vector<uint64_t> sizes;
  uint64_t interpreted;     ///< the largest size for the interpreter
  uint64_t edges = 8;       ///< of each vertex
  bool any_answer = false;  ///< there are several right answers, with the same number of chosen cells
};

const std::vector<PramSubject>& subjects() {
  static const std::vector<PramSubject> kSubjects = {
      {"reduction", {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22}, 1 << 16},
      {"scan", {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22}, 1 << 16},
      {"sort", {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18}, 1 << 12},
      {"all_pairs_distances", {16, 32, 64, 128, 256}, 32},
      {"matching", {64, 128, 256, 512, 1024}, 128, 4, true},
      {"components", {1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16}, 1 << 10, 1},
      {"spanning_forest", {1 << 8, 1 << 10, 1 << 12, 1 << 13, 1 << 14}, 1 << 10, 8, true},
  };
  return kSubjects;
}

/// A loop in a branch that only some processors take: it shows the cost of a set of active processors.
constexpr const char* kSets = R"(mode EREW
input A[n] : int
input limit : int
output B[n] : int
processors n {
  private x = A[p]
  private t = 0
  if x < limit {
    while t < 16 {
      x = (x * 5 + 1) % 65521
      t = t + 1
    }
  }
  B[p] = x
}
)";

Arrays inputs_for(const pram::Program& program, const PramSubject& subject, uint64_t size, uint64_t seed) {
  graph::Graph graph;
  Arrays inputs;
  for (const pram::Input& input : pram::inputs_of(program)) {
    if (!input.from_graph) {
      Random random(seed);
      std::vector<int64_t> values(size);
      for (int64_t& value : values) value = static_cast<int64_t>(random.below(1000));
      inputs[input.name] = pram::ints(std::move(values));
      continue;
    }
    if (graph.vertices == 0) {
      const bool two_sides = subject.name == std::string_view("matching");
      RandomEdges edges(two_sides ? size / 2 : size, two_sides ? size / 2 : 0, size * subject.edges, seed);
      graph.vertices = edges.vertices;
      graph.source = std::move(edges.source);
      graph.target = std::move(edges.target);
      graph.weight = std::move(edges.weight);
    }
    inputs[input.name] = *pram::graph_input(graph, input.name, input.extents.size());
  }
  return inputs;
}

/// A digest of the outputs that all executors have. If there are several right answers: of the number of
/// chosen cells.
uint64_t digest_of(const Arrays& outputs, const std::vector<std::string>& names, bool any_answer) {
  uint64_t hash = 0;
  for (const std::string& name : names) {
    uint64_t chosen = 0;
    hash += outputs.at(name).words.size();
    for (const pram::Word word : outputs.at(name).words) {
      chosen += any_answer && word > (name == "tree" ? 0 : -1);
      if (!any_answer) hash = hash::of_word((hash << 23 | hash >> 41) ^ static_cast<uint64_t>(word));
    }
    if (any_answer) hash = hash::of_word(hash ^ chosen);
  }
  return hash;
}

/// Runs one program and its inputs on an executor.
using Execute = std::function<Arrays()>;

class PramRun {
 public:
  PramRun(const PramBenchOptions& options, Bench& bench, const std::function<void(const Group&)>& emit)
      : options_(options), bench_(bench), emit_(emit) {}

  std::vector<Group> run() {
    if (is_asked(options_.work, "group")) {
      for (const uint64_t size : {16, 32, 64, 128, 256}) group_of_scan(size);
    }
    if (is_asked(options_.work, "grid")) grids();
    if (is_asked(options_.work, "presort")) presorts();
    for (const PramSubject& subject : subjects()) {
      if (!is_asked(options_.programs, subject.name)) continue;
      if (is_asked(options_.work, "growth")) {
        for (const uint64_t size : sizes_of(subject)) growth(subject, size);
      }
      if (is_asked(options_.work, "passes")) passes(subject), passes_on_gpu(subject);
    }
    if (is_asked(options_.work, "sets")) {
      for (const int percent : {1, 2, 5, 10, 20, 35, 50, 75, 100}) sets(percent);
    }
    return std::move(groups_);
  }

 private:
  static bool is_asked(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::count(names, name) > 0;
  }

  std::vector<uint64_t> sizes_of(const PramSubject& subject) const {
    if (!options_.sizes.empty()) return options_.sizes;
    std::vector<uint64_t> sizes = subject.sizes;
    if (options_.few) sizes.resize(sizes.size() - 2);
    if (options_.most > 0) std::erase_if(sizes, [&](uint64_t size) { return size > options_.most; });
    return sizes.empty() ? std::vector<uint64_t>{16, 64} : sizes;
  }

  /// A program, its inputs, and the digest on which its contenders agree.
  struct Task {
    pram::Program program;
    Arrays inputs;
    std::vector<std::string> compared;  ///< outputs
    bool any_answer = false;
  };
  using TaskPointer = std::shared_ptr<const Task>;

  Contender contender(const std::string& level, const TaskPointer& task, const Execute& execute,
                      bool one_thread = false) const {
    return {.level = level,
            .digest = [=] { return digest_of(execute(), task->compared, task->any_answer); },
            .seconds =
                [=] {
                  const auto start = std::chrono::steady_clock::now();
                  execute();
                  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                },
            .one_thread = one_thread,
            .may_fail = level.starts_with("cuda")};
  }

  Execute on(const TaskPointer& task, pram::Executor executor, pram::Passes passes,
             pram::ActiveForm active = pram::ActiveForm::kAuto) const {
    pram::Options options;
    options.executor = executor;
    options.passes = passes;
    options.active = active;
    options.cancellation = &bench_.cancellation();
    return [=] { return pram::run(task->program, task->inputs, options).outputs; };
  }

  static pram::Options device_options(pram::Executor executor, pram::Passes passes = pram::all_passes()) {
    pram::Options options;
    options.executor = executor;
    options.passes = passes;
    return options;
  }

  /// The compiled program; its columns are copied each time, as in pram::run.
  Contender on_device(const std::string& level, const TaskPointer& task, const pram::Options& options) const {
    if (options_.device == "cpu") return {.level = level, .not_offered = "not requested"};
    try {
      pram::Backend& backend =
          options.executor == pram::Executor::kCuda ? pram::cuda_backend() : pram::opencl_backend();
      if (options.one_group) pram::check_group(options, backend);
      const auto program = std::make_shared<pram::DeviceProgram>(task->program, options);
      const std::shared_ptr<pram::Code> code = pram::build(*program, backend);
      Contender made = contender(level, task, [=, &backend] {
        return pram::run_on_device(*program, *code, task->inputs, backend).outputs;
      });
      made.may_fail = true;
      return made;
    } catch (const CancelledError&) {
      throw;
    } catch (const std::exception& error) {
      return {.level = level, .not_offered = error.what()};
    }
  }
  Contender on_device(const std::string& level, const TaskPointer& task, pram::Executor executor) const {
    return on_device(level, task, device_options(executor));
  }
  Contender in_group(const std::string& level, const TaskPointer& task, pram::Executor executor) const {
    pram::Options options = device_options(executor);
    options.one_group = true;
    return on_device(level, task, options);
  }

  Contender tuned(const TaskPointer& task, const std::string& program, bool on_gpu) const {
    const std::string level = on_gpu ? "cuda, tuned" : "tuned";
    if (on_gpu && options_.device == "cpu") return {.level = level, .not_offered = "not requested"};
    try {
      return contender(level, task,
                       on_gpu ? twin_on_gpu(program, task->inputs, gpu::Driver::system().device(0))
                              : twin_on_cores(program, task->inputs));
    } catch (const CancelledError&) {
      throw;
    } catch (const std::exception& error) {
      return {.level = level, .not_offered = error.what()};
    }
  }

  TaskPointer task_of(const PramSubject& subject, uint64_t size) const {
    Task task{pram::library_program(subject.name), {}, {}, subject.any_answer};
    task.inputs = inputs_for(task.program, subject, size, options_.seed);
    pram::Options options;
    options.executor = pram::Executor::kCpu;
    const Arrays outputs = pram::run(task.program, task.inputs, options).outputs;
    // The hand-written algorithm of distances has no paths.
    for (const auto& [name, array] : outputs) {
      if (subject.name != std::string_view("all_pairs_distances") || name == "D")
        task.compared.push_back(name);
    }
    return std::make_shared<const Task>(std::move(task));
  }

  void add(Group group, const std::vector<Contender>& contenders) {
    bench_.cancellation().check();
    groups_.push_back(bench_.measure(std::move(group), contenders));
    emit_(groups_.back());
  }

  static Group group_of(const char* work, const std::string& program, uint64_t size) {
    Group group;
    group.title = fmt::format("{} of {}", program, with_commas(static_cast<int64_t>(size)));
    group.about = {{"work", work}, {"program", program}, {"n", size}};
    group.rows = size;
    return group;
  }

  void growth(const PramSubject& subject, uint64_t size) {
    bench_.say(fmt::format("generating the input of {}", subject.name));
    const TaskPointer task = task_of(subject, size);
    std::vector<Contender> contenders;
    if (size <= subject.interpreted) {
      contenders.push_back(
          contender("interpreter", task, on(task, pram::Executor::kInterpreter, pram::all_passes()), true));
    } else {
      contenders.push_back(
          {.level = "interpreter", .not_offered = "only sizes that take it less than a second"});
    }
    contenders.push_back(
        contender("cores, no optimisation", task, on(task, pram::Executor::kCpu, pram::Passes())));
    contenders.push_back(contender("cores", task, on(task, pram::Executor::kCpu, pram::all_passes())));
    contenders.push_back(tuned(task, subject.name, false));
    contenders.push_back(
        on_device("cuda, no optimisation", task, device_options(pram::Executor::kCuda, pram::Passes())));
    contenders.push_back(on_device("cuda", task, pram::Executor::kCuda));
    contenders.push_back(tuned(task, subject.name, true));
    contenders.push_back(on_device("opencl", task, pram::Executor::kOpenCl));
    add(group_of("growth", subject.name, size), contenders);
  }

  /// With few processors: many launches, or one group with barriers.
  void group_of_scan(uint64_t size) {
    static const PramSubject kScan{"scan", {}, 0};
    const TaskPointer task = task_of(kScan, size);
    add(group_of("group", kScan.name, size),
        {contender("interpreter", task, on(task, pram::Executor::kInterpreter, pram::all_passes()), true),
         on_device("many launches, cuda", task, pram::Executor::kCuda),
         in_group("one group, cuda", task, pram::Executor::kCuda),
         on_device("many launches, opencl", task, pram::Executor::kOpenCl),
         in_group("one group, opencl", task, pram::Executor::kOpenCl)});
  }

  void passes(const PramSubject& subject) {
    const std::vector<uint64_t> sizes = sizes_of(subject);
    const uint64_t size = sizes[std::min<size_t>(sizes.size() - 1, 2)];
    const TaskPointer task = task_of(subject, size);
    std::vector<Contender> contenders = {
        contender("all", task, on(task, pram::Executor::kCpu, pram::all_passes()))};
    for (const pram::PassInfo& pass : pram::passes()) {
      const std::string name(pass.name);
      contenders.push_back(contender(
          "without " + name, task, on(task, pram::Executor::kCpu, pram::without(pram::all_passes(), name))));
    }
    contenders.push_back(contender("none", task, on(task, pram::Executor::kCpu, pram::Passes())));
    add(group_of("passes", subject.name, size), contenders);
  }

  /// The same on a GPU, where launches cost more.
  void passes_on_gpu(const PramSubject& subject) {
    if (options_.device == "cpu") return;
    const std::vector<uint64_t> sizes = sizes_of(subject);
    const uint64_t size = sizes[std::min<size_t>(sizes.size() - 1, 2)];
    const TaskPointer task = task_of(subject, size);
    const auto with = [&](const std::string& level, pram::Passes passes) {
      return on_device(level, task, device_options(pram::Executor::kCuda, passes));
    };
    std::vector<Contender> contenders = {with("all", pram::all_passes())};
    if (!contenders[0].not_offered.empty()) {
      contenders[0].level = "cuda";
    } else {
      for (const pram::PassInfo& pass : pram::passes()) {
        const std::string name(pass.name);
        contenders.push_back(with("without " + name, pram::without(pram::all_passes(), name)));
      }
      contenders.push_back(with("none", pram::Passes()));
    }
    Group group = group_of("passes_on_gpu", subject.name, size);
    group.title += ", CUDA";
    add(std::move(group), contenders);
  }

  static pram::Options set_options(pram::ActiveForm active) {
    pram::Options options = device_options(pram::Executor::kCuda, pram::Passes());
    options.active = active;
    return options;
  }

  /// Reduction and prefix sums with the study's parameters.
  void grids() {
    std::vector<uint64_t> sizes = {1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22, 1 << 25};
    if (options_.few) sizes.resize(4);
    if (!options_.sizes.empty()) sizes = options_.sizes;
    if (options_.most > 0) std::erase_if(sizes, [&](uint64_t size) { return size > options_.most; });
    if (sizes.empty()) sizes = {options_.most};
    gpu::Device* const cuda = options_.device == "cpu" ? nullptr : find_device("auto");
    for (const bool scan : {false, true}) {
      for (const uint64_t size : sizes) {
        Group group = group_of("grid", scan ? "scan" : "reduction", size);
        group.title += " numbers in groups of m items with c values";
        group.bytes = size * sizeof(uint32_t) * (scan ? 2 : 1);
        bench_.say(group.title);
        add(std::move(group), grid_levels(scan, size, options_.seed, cuda, options_.device != "cpu"));
      }
    }
  }

  /// Merge sort from runs of one number, and after a network that sorts groups of 32.
  void presorts() {
    static const PramSubject kRuns{"sort", {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18}, 0};
    for (const uint64_t size : sizes_of(kRuns)) {
      std::vector<Contender> contenders;
      for (const auto& [program, name] :
           {std::pair("sort", "runs of 1"), std::pair("sort_odd_even", "odd-even presort"),
            std::pair("sort_bitonic", "bitonic presort")}) {
        const TaskPointer task = task_of({program, {}, 0}, size);
        contenders.push_back(contender(fmt::format("cores, {}", name), task,
                                       on(task, pram::Executor::kCpu, pram::all_passes())));
        contenders.push_back(on_device(fmt::format("cuda, {}", name), task, pram::Executor::kCuda));
        contenders.push_back(on_device(fmt::format("opencl, {}", name), task, pram::Executor::kOpenCl));
      }
      add(group_of("presort", "sort", size), contenders);
    }
  }

  void sets(int percent) {
    uint64_t size = options_.sizes.empty() ? 1 << 18 : options_.sizes.back();
    if (options_.most > 0) size = std::min(size, options_.most);
    Task made{pram::Program::parse(kSets), {}, {"B"}};
    Random random(options_.seed);
    std::vector<int64_t> values(size);
    for (int64_t& value : values) value = static_cast<int64_t>(random.below(1000));
    made.inputs = {{"A", pram::ints(std::move(values))}, {"limit", pram::scalar(percent * 10)}};
    const auto task = std::make_shared<const Task>(std::move(made));
    Group group = group_of("sets", "sets", size);
    group.title =
        fmt::format("a loop for {} % of {} processors", percent, with_commas(static_cast<int64_t>(size)));
    group.about["density"] = percent;
    add(std::move(group),
        {contender("bitset", task, on(task, pram::Executor::kCpu, pram::Passes(), pram::ActiveForm::kBitset)),
         contender("list", task, on(task, pram::Executor::kCpu, pram::Passes(), pram::ActiveForm::kList)),
         on_device("cuda, bitset", task, set_options(pram::ActiveForm::kBitset)),
         on_device("cuda, list", task, set_options(pram::ActiveForm::kList))});
  }

  const PramBenchOptions& options_;
  Bench& bench_;
  const std::function<void(const Group&)>& emit_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> run_pram(const PramBenchOptions& options, Bench& bench,
                            const std::function<void(const Group&)>& emit) {
  return PramRun(options, bench, emit).run();
}

const std::vector<std::string>& pram_work_names() {
  static const std::vector<std::string> kNames = {"growth", "passes", "sets", "group", "grid", "presort"};
  return kNames;
}

std::vector<std::string> pram_program_names() {
  std::vector<std::string> names;
  for (const PramSubject& subject : subjects()) names.emplace_back(subject.name);
  return names;
}

}  // namespace lanewise::cli::bench
