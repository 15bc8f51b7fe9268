#include "study/bench/bench.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/error.h"
#include "base/machine.h"
#include "lanes/targets/target.h"
#include "study/bench/read_rate.h"
#include "study/bench/simulate.h"

namespace lanewise::cli::bench {

namespace {

constexpr uint64_t kSimulatedRows = 1 << 17;

/// A quantile of ascending values, interpolated between neighbours.
double quantile(const std::vector<double>& values, double share) {
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(at), high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

/// Processor time of the calling thread, without that of others.
double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void check_agreement(const Group& group) {
  const Result* first = nullptr;
  for (const Result& result : group.results) {
    if (!result.not_offered.empty()) continue;
    if (first == nullptr) first = &result;
    if (result.digest == first->digest) continue;
    throw WrongResult(fmt::format("levels disagree on '{}': {} gives {:016x}, {} gives {:016x}", group.title,
                                  first->level, first->digest, result.level, result.digest));
  }
}

}  // namespace

double Result::spread() const {
  if (runs.size() < 2) return 0;
  return (quantile(runs, 0.75) - quantile(runs, 0.25)) / quantile(runs, 0.5);
}

Bench::Bench(std::string name, const Options& options, const Cancellation& cancellation, double read_rate,
             std::function<void(const std::string&)> say)
    : setting_{std::move(name), machine_cpu(), machine_cores(), 0, "", 0, options},
      cancellation_(cancellation),
      say_(std::move(say)) {
  for (const std::string& level : options.levels) {
    const std::string word = level.substr(0, level.find_first_of(" :"));
    const bool known = lanes::parse_target(word) || word == "chosen" || word == "packed";
    if (!known) throw UserError(fmt::format("unknown level '{}'; see --help", level));
  }
  setting_.counters = counters_.why_not();
  if (options.silent_runs > 0) return;
  if (options.cachegrind) setting_.simulated_rows = kSimulatedRows;
  setting_.read_rate = read_rate;
  if (read_rate > 0) return;
  Bench::say("measuring how fast one core reads memory");
  setting_.read_rate = bench::read_rate(cancellation);
}

Bench::~Bench() { progress_.finish(); }

bool Bench::wants(const std::string& level) const {
  const auto names_it = [&](std::string name) {
    if (name == "packed") return level.find(" packed") != std::string::npos;
    if (name.starts_with("simd")) name.replace(0, 4, lanes::name(lanes::simd()));
    return level.starts_with(name) &&
           (level.size() == name.size() || level[name.size()] == ' ' || level[name.size()] == ':');
  };
  const std::vector<std::string>& asked = setting_.options.levels;
  return asked.empty() || std::ranges::any_of(asked, names_it);
}

void Bench::say(const std::string& what) {
  if (say_)
    say_(what);
  else
    progress_.report(what, -1);
}

/// The events of one more run: those of preparing the data and of one run are subtracted.
void Bench::simulate(const Group& group, Result& result) {
  const lanes::Target simd = lanes::simd();
  if (result.level.starts_with("avx512") ||
      (result.level.starts_with("chosen") && simd == lanes::Target::avx512)) {
    return;  // instructions that valgrind does not support
  }
  say("simulating " + group.title + ": " + result.level);
  const auto events = [&](int runs) {
    std::vector<std::string> words = group.arguments;
    words.insert(words.end(),
                 {"--rows", std::to_string(kSimulatedRows), "--seed", std::to_string(setting_.options.seed),
                  "--levels", result.level, "--silent-runs", std::to_string(runs)});
    return bench::simulate(words, cancellation_);
  };
  const Events once = events(1);
  result.events = (events(2) - once) / kSimulatedRows;
}

/// Runs the level once for its hash, and once for what its lanes did.
void Bench::prepare(const std::string& title, const Contender& contender, Result& result) {
  say(title + ": " + contender.level);
  result.digest = contender.digest();
  if (contender.observe) result.stats = contender.observe();
}

namespace {

/// Calls `work`; returns whether it failed, and notes why, if the level may fail.
template <class Work>
bool failed(const Contender& contender, Result& result, const Work& work) {
  if (!contender.may_fail) {
    work();
    return false;
  }
  try {
    work();
    return false;
  } catch (const CancelledError&) {
    throw;
  } catch (const WrongResult&) {
    throw;
  } catch (const std::exception& error) {
    result = {.level = contender.level, .not_offered = error.what()};
    return true;
  }
}

}  // namespace

/// Repeats the task until the counters, which are updated some ten times a second, are exact enough.
void Bench::measure_energy(const Contender& contender, Result& result) {
  failed(contender, result, [&] {
    say("energy of " + contender.level);
    const double wanted = std::min(setting_.options.enough, 1.0);
    const Joules before = energy_.read();
    const auto start = std::chrono::steady_clock::now();
    int runs = 0;
    double passed = 0;
    for (; passed < wanted; ++runs) {
      cancellation_.check();
      contender.seconds();
      passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    result.energy = (energy_.read() - before) / runs;
  });
}

Group Bench::measure(Group group, const std::vector<Contender>& contenders) {
  if (contenders.empty()) {
    throw UserError(fmt::format("none of the levels '{}' is one of '{}'; see --help",
                                fmt::join(setting_.options.levels, ", "), group.title));
  }
  if (setting_.options.silent_runs > 0) {
    for (const Contender& contender : contenders) {
      for (int run = 0; contender.not_offered.empty() && run < setting_.options.silent_runs; ++run)
        contender.seconds();
    }
    return group;
  }
  struct Runs {
    std::vector<double> seconds;
    double sum = 0;
  };
  std::vector<Runs> runs(contenders.size());
  for (const Contender& contender : contenders) {
    Result result{.level = contender.level,
                  .not_offered = contender.not_offered,
                  .refill_below = contender.refill_below};
    if (result.not_offered.empty()) {
      failed(contender, result, [&] { prepare(group.title, contender, result); });
    }
    group.results.push_back(std::move(result));
  }
  check_agreement(group);
  for (int round = 0; round < setting_.options.repeat; ++round) {
    for (size_t i = 0; i < contenders.size(); ++i) {
      if (!group.results[i].not_offered.empty() || runs[i].sum > setting_.options.enough) continue;
      say(group.title + ": " + contenders[i].level);
      cancellation_.check();
      counters_.start();
      const double before = thread_seconds();
      double seconds = 0;
      if (failed(contenders[i], group.results[i], [&] { seconds = contenders[i].seconds(); })) {
        counters_.stop();
        continue;
      }
      const double processor = thread_seconds() - before;
      runs[i].seconds.push_back(contenders[i].one_thread ? std::min(seconds, processor) : seconds);
      runs[i].sum += runs[i].seconds.back();
      const std::optional<Events> events = counters_.stop();
      if (events) group.results[i].events = *events / static_cast<double>(group.rows);
    }
  }
  for (size_t i = 0; i < contenders.size(); ++i) {
    if (runs[i].seconds.empty() || !group.results[i].not_offered.empty()) continue;
    std::ranges::sort(runs[i].seconds);
    group.results[i].seconds = quantile(runs[i].seconds, 0.5);
    group.results[i].runs = std::move(runs[i].seconds);
    const auto add_facts = [&] { group.results[i].facts = contenders[i].facts(); };
    if (contenders[i].facts) failed(contenders[i], group.results[i], add_facts);
    if (setting_.options.energy) measure_energy(contenders[i], group.results[i]);
  }
  for (Result& result : group.results) {
    if (setting_.options.cachegrind && result.not_offered.empty()) simulate(group, result);
  }
  return group;
}

}  // namespace lanewise::cli::bench
