#include <fmt/format.h>

#include <memory>

#include "base/machine.h"
#include "bench/tune.h"
#include "command.h"
#include "interrupt.h"
#include "machine.h"
#include "progress.h"

namespace lanewise::cli {

namespace {

const char* const kDescription =
    R"(Measures this machine and stores what is fast on it, in less than a minute.

The profile changes how fast lanewise is here, never its answers: how many rows lanes of one thread
interleave, when idle lanes are refilled, how many rows operators take at a time, and from what each way to match
a pattern costs, which one is taken. Later runs read it, 'lanewise info'
shows it. It is of this kind of processor: on another one it is not used, with a note.

  lanewise tune                              stores ~/.config/lanewise/profile.json
  lanewise tune --output other.json          only writes this file
  rm ~/.config/lanewise/profile.json         back to the defaults
)";

std::string text(const bench::Choice& choice) {
  std::string line = fmt::format("{:<22}{:>6}   ", choice.name, choice.best);
  for (const auto& [value, rate] : choice.tries) line += fmt::format("  {}: {:.2f}", value, rate / 1e9);
  return line + " GB/s";
}

ExitCode run_tune(const std::string& output) {
  const std::string path = output.empty() ? machine_profile_path() : output;
  const Interrupt interrupt;
  Progress progress;
  const bench::Tuned tuned = bench::tune(
      interrupt.cancellation(), [&](const std::string& what, double share) { progress.report(what, share); });
  progress.finish();
  save_machine_profile(tuned.profile, path);
  fmt::print("{}; one core reads {:.1f} GB/s\n\n{:<22}{:>6}     measured\n", tuned.profile.processor,
             tuned.profile.read_rate / 1e9, "parameter", "chosen");
  for (const bench::Choice& choice : tuned.choices) fmt::print("{}\n", text(choice));
  fmt::print("\n{:<22}measured\n", "matcher");
  for (const bench::MatcherCost& cost : tuned.costs)
    fmt::print("{:<22}{:.3f} ns per byte\n", cost.name, cost.ns);
  fmt::print("\nStored in {}\n", path);
  return kOk;
}

}  // namespace

void add_tune_command(CLI::App& app, Command& run) {
  auto output = std::make_shared<std::string>();
  CLI::App* tune = app.add_subcommand("tune", kDescription);
  tune->add_option("-o,--output", *output, "Write the profile to this file, which later runs do not read")
      ->type_name("FILE");
  tune->callback([output, &run] { run = [output] { return run_tune(*output); }; });
}

}  // namespace lanewise::cli
