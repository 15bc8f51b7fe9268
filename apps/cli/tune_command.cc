#include <fmt/format.h>

#include <memory>

#include "base/machine.h"
#include "command.h"
#include "process/interrupt.h"
#include "process/output_file.h"
#include "process/print.h"
#include "process/progress.h"
#include "statements/machine.h"
#include "study/bench/tune.h"

namespace lanewise::cli {

namespace {

const char* const kTuneDescription =
    R"(Measures this machine and stores what is fast on it, in less than a minute.

The profile changes speed, never answers. It sets how many rows the lanes of one thread interleave, when idle lanes
are refilled, and how many rows an operator takes. It also holds the cost of each match strategy, to choose the
cheapest. If there is a GPU, it and the cores answer the same queries, and `lanewise sql --device auto` uses the
measured rates. Later runs read the profile, and 'lanewise info' shows it. On another kind of processor it is
ignored, with a note.

  lanewise tune                              stores ~/.config/lanewise/profile.json
  lanewise tune --output other.json          only writes this file
  rm ~/.config/lanewise/profile.json         back to the defaults
)";

std::string text_of(const bench::Choice& choice) {
  std::string line = fmt::format("{:<22}{:>6}   ", choice.name, choice.best);
  for (const auto& [value, rate] : choice.tries) line += fmt::format("  {}: {:.2f}", value, rate / 1e9);
  return line + " GB/s";
}

/// Prints the rates of both devices next to each other.
std::string text_of(const ops::PlacementCosts& costs) {
  using ops::Rates;
  const ops::DeviceCosts& gpu = costs.device;
  std::string lines = fmt::format(
      "\n{}: opened in {:.0f} ms; kernels compiled in {:.0f} ms, loaded in {:.1f} ms; {:.1f} GB/s to it, "
      "{:.1f} "
      "back\n{:<22}{:>12}{:>12}\n",
      gpu.name, gpu.open * 1e3, gpu.compile * 1e3, gpu.load * 1e3, gpu.upload / 1e9, gpu.download / 1e9, "",
      fmt::format("{} threads", costs.threads), "GPU");
  const auto line = [&](const char* name, double Rates::* rate, double unit, const char* unit_name) {
    lines += fmt::format("{:<22}{:>12.4g}{:>12.4g} {}\n", name, costs.host.*rate * unit,
                         gpu.rates.*rate * unit, unit_name);
  };
  line("start", &Rates::start, 1e3, "ms");
  line("scan", &Rates::scan, 1e-9, "GB/s");
  line("compute", &Rates::compute, 1e-9, "G operations/s");
  line("search", &Rates::search, 1e-9, "GB/s");
  line("automaton", &Rates::automaton, 1e-9, "GB/s");
  line("group", &Rates::group, 1e-6, "M rows/s");
  line("many_groups", &Rates::many_groups, 1e-6, "M rows/s");
  line("sort", &Rates::sort, 1e-6, "M rows/s");
  line("lookup", &Rates::lookup, 1e-6, "M words/s");
  line("join", &Rates::join, 1e-6, "M words/s");
  return lines;
}

ExitCode run_tune(const std::string& output) {
  const std::string path = output.empty() ? machine_profile_path() : output;
  check_output(path, {});
  const Interrupt interrupt;
  Progress progress;
  const bench::Tuned tuned = bench::tune(
      interrupt.cancellation(), [&](const std::string& what, double share) { progress.report(what, share); });
  progress.finish();
  save_machine_profile(tuned.profile, path);
  print("{}; one core reads {:.1f} GB/s\n\n{:<22}{:>6}     measured\n", tuned.profile.processor,
        tuned.profile.read_rate / 1e9, "parameter", "chosen");
  for (const bench::Choice& choice : tuned.choices) print("{}\n", text_of(choice));
  print("\n{:<22}measured\n", "matcher");
  for (const bench::MatcherCost& cost : tuned.costs) print("{:<22}{:.3f} ns per byte\n", cost.name, cost.ns);
  print("{}", tuned.profile.placement ? text_of(*tuned.profile.placement)
                                      : fmt::format("\nGPU: none: {}\n", tuned.no_gpu));
  print("\nStored in {}\n", path);
  return kOk;
}

}  // namespace

void add_tune_command(CLI::App& app, Command& run) {
  auto output = std::make_shared<std::string>();
  CLI::App* tune = app.add_subcommand("tune", kTuneDescription);
  tune->add_option("-o,--output", *output, "Write the profile to this file only; later runs do not read it")
      ->type_name("FILE");
  tune->callback([output, &run] { run = [output] { return run_tune(*output); }; });
}

}  // namespace lanewise::cli
