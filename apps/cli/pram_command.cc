#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>

#include "base/error.h"
#include "base/size.h"
#include "command.h"
#include "input/read_file.h"
#include "pram/gpu/run.h"
#include "pram/inputs.h"
#include "pram/language/format.h"
#include "pram/library.h"
#include "pram/meta/meta.h"
#include "pram/named_program.h"
#include "pram/print.h"
#include "pram/run.h"
#include "pram/trace.h"
#include "process/interrupt.h"
#include "process/output_file.h"
#include "process/print.h"
#include "process/progress.h"

namespace lanewise::cli {

namespace {

const char* const kPramDescription =
    R"(Runs PRAM programs, checks them for conflicts and counts their costs.

  lanewise pram list                                    programs that Lanewise ships
  lanewise pram run reduction -i A=1,2,3,4
  lanewise pram run sort.pram -i A=random:1000 --costs  with the cost of each line
  lanewise pram run components --graph random:100:80
  lanewise pram run scan -i A=random:1000000 --executor cpu -o sums
  lanewise pram explain scan --kernels c                its kernels for GPUs
  lanewise pram check mine.pram                         mistakes and warnings
  lanewise pram check mine.pram -i A=random:100         also the mode that it needs
  lanewise pram new mine.pram                           a small program to start from

A PROGRAM is a file (its name has a dot) or the name of a program that Lanewise ships. docs/use/pram.md explains the
language.
)";

const char* const kInputHelp =
    "NAME=VALUES: numbers (; ends a row of a matrix), @FILE, or random:N, shuffle:N, ascending:N,\n"
    "descending:N, constant:N:VALUE (for a matrix with both sizes)";

struct PramOptions {
  std::string program;
  std::vector<std::string> files;
  std::vector<std::string> inputs;
  std::string graph;
  std::string mode;
  std::string output;
  std::string format;  // empty: from the extension of the output
  std::string memory_limit = "4GB";
  std::string executor = "interpreter";
  std::string active = "auto";
  std::string kernels;
  std::string by;
  std::vector<std::string> without;
  pram::Options options;
  bool costs = false;
  bool write = false;
};

pram::Arrays given_inputs(const PramOptions& given, const pram::Program& program) {
  MemoryBudget budget(parse_size(given.memory_limit));
  return pram_command::read_inputs(program, given.inputs, given.graph, given.options.seed, budget);
}

/// Runs the program so that Ctrl-C ends it.
pram::Result run_pram(const PramOptions& given, const pram::Program& program, const pram::Arrays& inputs,
                      pram::Options options) {
  const Interrupt interrupt;
  MemoryBudget budget(parse_size(given.memory_limit));
  options.cancellation = &interrupt.cancellation();
  options.budget = &budget;
  std::atomic<uint64_t> steps = 0;
  options.steps = &steps;
  const Watch watch([&] { return Watch::State{fmt::format("{} steps", steps.load())}; });
  return pram::run(program, inputs, options);
}

pram::Passes passes_of(const PramOptions& given) {
  pram::Passes passes = pram::all_passes();
  for (const std::string& name : given.without) passes = pram::without(passes, name);
  return passes;
}

/// The options of `run`.
pram::Options run_options(const PramOptions& given) {
  pram::Options options = given.options;
  if (given.executor == "cpu") options.executor = pram::Executor::kCpu;
  if (given.executor == "cuda") options.executor = pram::Executor::kCuda;
  if (given.executor == "opencl") options.executor = pram::Executor::kOpenCl;
  options.time_kernels = given.costs;
  if (given.active == "bitset") options.active = pram::ActiveForm::kBitset;
  if (given.active == "list") options.active = pram::ActiveForm::kList;
  options.passes = passes_of(given);
  return options;
}

/// Rejects an output that is the program, a graph or a file of numbers.
void check_output_of(const PramOptions& given) {
  std::vector<std::string> files = {given.program, given.graph};
  for (const std::string& input : given.inputs) {
    if (const size_t at = input.find("=@"); at != std::string::npos) files.push_back(input.substr(at + 2));
  }
  check_output(given.output, files);
}

std::unique_ptr<OutputFile> open_output(const PramOptions& given) {
  return given.output.empty() ? std::make_unique<OutputFile>() : std::make_unique<OutputFile>(given.output);
}

/// Rejects an extension of a format that the command does not write.
void check_extension(const std::string& output, std::initializer_list<std::string_view> extensions,
                     const char* advice) {
  const std::string extension = std::filesystem::path(output).extension();
  if (extension.empty() || std::ranges::find(extensions, extension) != extensions.end()) return;
  throw UserError(fmt::format("'{}': {}", output, advice));
}

ExitCode run_run(const PramOptions& given) {
  check_output_of(given);
  if (given.format.empty()) {
    check_extension(given.output, {".txt", ".json"},
                    "pram run writes text or JSON; use .txt or .json, or --format");
  }
  const pram::Program program = pram_command::load_program(given.program);
  const pram::Options options = run_options(given);
  const pram::Result result = run_pram(given, program, given_inputs(given, program), options);
  const std::unique_ptr<OutputFile> out = open_output(given);
  const bool json = given.format == "json" || (given.format.empty() && given.output.ends_with(".json"));
  out->write(json ? pram_command::result_json(result, given.costs) : pram_command::result_text(result));
  if (given.costs && !json) {
    out->write(options.executor == pram::Executor::kInterpreter
                   ? pram_command::cost_text(program, result.cost)
                   : pram_command::kernel_text(program, result.kernels));
  }
  out->close();
  return kOk;
}

/// Runs the program again with other winners of arbitrary writes; whether the outputs are the same.
std::string other_draws(const PramOptions& given, const pram::Program& program, const pram::Arrays& inputs,
                        const pram::Arrays& outputs) {
  constexpr uint64_t kDraws = 7;
  for (uint64_t draw = 1; draw <= kDraws; ++draw) {
    pram::Options options = given.options;
    options.seed += draw;
    pram::Arrays found;
    try {
      found = run_pram(given, program, inputs, options).outputs;
    } catch (const pram::RunError& error) {
      return fmt::format("the result depends on which writes win: with seed {} it fails\n{}", options.seed,
                         error.what());
    }
    for (const auto& [name, expected] : outputs) {
      if (const auto cell = pram_command::first_difference(name, expected, found.at(name))) {
        return fmt::format("the result depends on which writes win: {} with seed {}, {} with seed {}",
                           cell->first, given.options.seed, cell->second, options.seed);
      }
    }
  }
  return fmt::format("{} other seeds, which let other writes win, gave the same result", kDraws);
}

ExitCode run_check(const PramOptions& given) {
  const pram::Program program = pram_command::load_program(given.program);
  for (const pram::Diagnostic& warning : program.warnings()) print("{}\n", program.render(warning));
  const std::string mode = pram::to_text(program.tree().mode, program.tree().combine);
  if (given.inputs.empty() && given.graph.empty()) {
    print("{}: {}, {} warning{}; with inputs (-i) the check also runs it and says which mode it needs\n",
          program.file(), mode, program.warnings().size(), program.warnings().size() == 1 ? "" : "s");
    return kOk;
  }
  pram::Options options = given.options;
  options.survey = true;
  const pram::Arrays inputs = given_inputs(given, program);
  const pram::Result result = run_pram(given, program, inputs, options);
  const std::string found = pram_command::survey_text(program, result.survey);
  print("{}{}", found, found.empty() ? "" : "\n");
  const pram::Mode needs = result.survey.needs();
  const pram::Mode has = program.tree().mode;
  // Every CRCW mode but `common` allows any write.
  const bool enough = needs <= has;
  print("{}: declared {}; on this input {}: {}\n", program.file(), mode,
        needs == pram::Mode::kErew ? "EREW is enough"
                                   : fmt::format("it needs {}", needs == pram::Mode::kArbitrary
                                                                    ? "CRCW arbitrary, priority or combining"
                                                                    : pram::to_text(needs)),
        !enough                                        ? "too weak"
        : needs == has || has > pram::Mode::kArbitrary ? "fits"
                                                       : "fits, and more than it needs");
  if (has == pram::Mode::kArbitrary && needs == has) {
    print("{}\n", other_draws(given, program, inputs, result.outputs));
  }
  return enough ? kOk : kUserError;
}

ExitCode run_trace(const PramOptions& given) {
  check_output_of(given);
  check_extension(given.output, {".ndjson", ".jsonl", ".json"},
                  "pram trace writes lines of JSON; use .ndjson, .jsonl or .json");
  const pram::Program program = pram_command::load_program(given.program);
  const pram::Arrays inputs = given_inputs(given, program);
  const Interrupt interrupt;
  MemoryBudget budget(parse_size(given.memory_limit));
  pram::Options options = run_options(given);
  options.cancellation = &interrupt.cancellation();
  options.budget = &budget;
  std::atomic<uint64_t> steps = 0;
  options.steps = &steps;
  const Watch watch([&] { return Watch::State{fmt::format("{} steps", steps.load())}; });
  const bool interpreted = options.executor == pram::Executor::kInterpreter;
  if (!interpreted && given.by == "statement") {
    throw UserError("--by statement needs the interpreter; for an executor see --without all");
  }
  const std::unique_ptr<OutputFile> out = open_output(given);
  const auto write = [&](std::string_view line) { out->write(line); };
  try {
    if (interpreted) {
      pram::Interpreter interpreter(program, inputs, options);
      if (given.by == "kernel") {
        pram::trace_kernels(interpreter, options.passes, write);
      } else {
        pram::trace_steps(interpreter, write);
      }
    } else {
      pram::trace_kernels(program, inputs, options, write);
    }
  } catch (const pram::RunError&) {
    out->close();  // users need the trace up to the error
    throw;
  }
  out->close();
  return kOk;
}

ExitCode run_explain(const PramOptions& given) {
  const pram::Program program = pram_command::load_program(given.program);
  if (given.kernels.empty()) {
    if (given.options.one_group)
      throw UserError("--one-group shows a kernel; add --kernels c, cuda or opencl");
    print("{}", pram::explain(program, passes_of(given)));
    return kOk;
  }
  pram::Options options;
  options.passes = passes_of(given);
  options.one_group = given.options.one_group;
  const pram::DeviceProgram compiled(program, options);
  const bool cuda = given.kernels == "cuda";
  print("{}", given.kernels == "c" ? compiled.emitted.text
                                   : compiled.source(cuda ? pram::Dialect::kCuda : pram::Dialect::kOpenCl));
  return kOk;
}

ExitCode run_format(const PramOptions& given) {
  bool same = true;
  for (const std::string& file : given.files) {
    const std::string text = read_file(file);
    pram::Program::parse(text, file);
    const std::string formatted = pram::format(text);
    if (!given.write || file == "-") {
      print("{}", formatted);
      continue;
    }
    if (formatted == text) continue;
    same = false;
    OutputFile out(file);
    out.write(formatted);
    out.close();
    print("{}\n", file);
  }
  if (given.write && same) print_error("nothing to change\n");
  return kOk;
}

ExitCode run_list(const PramOptions& given) {
  if (!given.program.empty()) {
    print("{}", pram::library_program(given.program).text());
    return kOk;
  }
  for (const pram::LibraryProgram& program : pram::library()) {
    print("{:<24}{}\n", program.name, program.summary());
  }
  return kOk;
}

const char* const kTemplate = R"(# Adds to each number its left neighbour.
# Work O(n), depth O(1).
mode EREW

input A[n] : int
output B[n] : int

processors n
private left = 0
if p > 0 { left = A[p - 1] }
B[p] = A[p] + left
)";

ExitCode run_new(const PramOptions& given) {
  // A name without a dot is that of a bundled program.
  const std::string file = given.program + (given.program.find('.') == std::string::npos ? ".pram" : "");
  if (std::filesystem::exists(file))
    throw UserError(fmt::format("'{}' exists already; choose another name", file));
  OutputFile out(file);
  out.write(kTemplate);
  out.close();
  print("{0}: now try\n  lanewise pram check {0}\n  lanewise pram run {0} -i A=1,2,3\n", file);
  return kOk;
}

void add_without(CLI::App& app, PramOptions& given) {
  std::string names;
  for (const pram::PassInfo& info : pram::passes()) names += fmt::format("{}, ", info.name);
  app.add_option("--without", given.without,
                 "Leave out an optimisation: " + names + "or all; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_executor(CLI::App& app, PramOptions& given) {
  app.add_option(
         "--executor", given.executor,
         "Executor: interpreter (step by step, with conflicts and costs), cpu (compiled, on all cores),\n"
         "cuda or opencl (kernels on a GPU)")
      ->check(CLI::IsMember({"interpreter", "cpu", "cuda", "opencl"}))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--threads", given.options.threads, "Number of the executor's threads; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  app.add_option("--active", given.active, "Representation of active processors (default: auto)")
      ->check(CLI::IsMember({"auto", "bitset", "list"}))
      ->option_text("auto|bitset|list");
  app.add_flag("--check", given.options.check,
               "Also look for conflicts in the executor, without optimisations");
  app.add_flag(
      "--race", given.options.race,
      "In mode CRCW arbitrary, let the last writer win. It may vary; without --race, --seed decides");
  app.add_flag("--specialise", given.options.specialise,
               "Compile GPU kernels for the given sizes, once for each");
  app.add_flag("--graphs", given.options.graphs, "Launch a repeated sequence of kernels as one CUDA graph");
  add_without(app, given);
}

void add_inputs(CLI::App& app, PramOptions& given) {
  app.add_option("program", given.program, "A file, - or the name of a program that Lanewise ships")
      ->type_name("PROGRAM")
      ->required();
  app.add_option("-i,--input", given.inputs, kInputHelp)->type_name("NAME=VALUES")->allow_extra_args(false);
  app.add_option("--graph", given.graph,
                 std::string("Fill inputs from a graph (n, source, target, weight, offset, ...): a file "
                             "(Matrix Market,\nlines 'v : u w' or 'source target [weight]', .parquet, .csv), "
                             "or\n") +
                     pram_command::kGraphGenerators)
      ->type_name("GRAPH");
  app.add_option("--seed", given.options.seed,
                 "Seed for random inputs, and for the choice of the writer in mode CRCW arbitrary")
      ->type_name("N");
  app.add_option("--max-steps", given.options.max_steps, "Maximum number of steps; a longer run is an error")
      ->check(CLI::Range(uint64_t{1}, uint64_t{0xFFFFFFFE}))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--memory-limit", given.memory_limit,
                 "Memory limit for reading a graph, and for arrays and private variables")
      ->type_name("SIZE")
      ->capture_default_str();
}

/// Adds the verbs of `lanewise pram`, which share their options.
class PramCommand {
 public:
  PramCommand(CLI::App& app, Command& run) : pram_(*app.add_subcommand("pram", kPramDescription)), run_(run) {
    pram_.require_subcommand(1);
    add_run();
    add_check();
    add_explain();
    add_trace();
    add_fmt();
    add_list();
    add_new();
  }

 private:
  CLI::App* add_verb(const char* name, const char* help, ExitCode (*work)(const PramOptions&)) {
    CLI::App* command = pram_.add_subcommand(name, help);
    command->callback([given = given_, work, &run = run_] { run = [given, work] { return work(*given); }; });
    return command;
  }

  void add_run() {
    CLI::App* run_app = add_verb("run", "Runs a program and prints its outputs", run_run);
    add_inputs(*run_app, *given_);
    add_executor(*run_app, *given_);
    run_app->add_flag(
        "--one-group", given_->options.one_group,
        "Run the whole program as one kernel of one group on a GPU: blocks of at most 256 processors,\n"
        "4,080 cells of shared variables");
    run_app->add_flag(
        "--costs", given_->costs,
        "Print each line's steps, work, depth and peak of active processors; with an executor, its kernels");
    run_app
        ->add_option("--format", given_->format,
                     "text or json (default: from the extension of -o, .txt or .json)")
        ->check(CLI::IsMember({"text", "json"}))
        ->type_name("NAME");
    run_app->add_option("-o,--output", given_->output, "Write the output to this file")->type_name("FILE");
  }

  void add_check() {
    CLI::App* check = add_verb(
        "check", "Reports errors and warnings; with inputs, also the weakest mode that suffices", run_check);
    add_inputs(*check, *given_);
  }

  void add_explain() {
    CLI::App* explain = add_verb(
        "explain", "Shows a program next to its compiled form, the meta-program, and the optimisations",
        run_explain);
    explain->add_option("program", given_->program, "A file, - or the name of a program that Lanewise ships")
        ->type_name("PROGRAM")
        ->required();
    add_without(*explain, *given_);
    explain
        ->add_option("--kernels", given_->kernels,
                     "Show GPU kernels instead: c: the kernels alone; cuda, opencl: complete sources")
        ->check(CLI::IsMember({"c", "cuda", "opencl"}))
        ->option_text("c|cuda|opencl");
    explain->add_flag("--one-group", given_->options.one_group,
                      "Show the single kernel that `pram run --one-group` launches");
  }

  void add_trace() {
    CLI::App* trace = add_verb(
        "trace", "Runs a program and writes each step or kernel and its changes as lines of JSON", run_trace);
    add_inputs(*trace, *given_);
    add_executor(*trace, *given_);
    trace
        ->add_option("--by", given_->by,
                     "Write a line for each statement (default of the interpreter) or kernel")
        ->check(CLI::IsMember({"statement", "kernel"}))
        ->type_name("UNIT");
    trace->add_option("-o,--output", given_->output, "Write the output to this file")->type_name("FILE");
  }

  void add_fmt() {
    CLI::App* format = add_verb("fmt", "Formats programs", run_format);
    format->add_option("files", given_->files, "Programs")->type_name("FILES")->required();
    format->add_flag("-w,--write", given_->write, "Rewrite the files instead of printing the result");
  }

  void add_list() {
    CLI::App* list = add_verb("list", "Lists the programs that Lanewise ships, or prints one", run_list);
    list->add_option("name", given_->program, "Name of the program to print")->type_name("NAME");
  }

  void add_new() {
    CLI::App* fresh = add_verb("new", "Writes a small program to start from", run_new);
    fresh->add_option("file", given_->program, "The file to write")->type_name("FILE")->required();
  }

  CLI::App& pram_;
  Command& run_;
  std::shared_ptr<PramOptions> given_ = std::make_shared<PramOptions>();
};

}  // namespace

void add_pram_command(CLI::App& app, Command& run) { PramCommand(app, run); }

}  // namespace lanewise::cli
