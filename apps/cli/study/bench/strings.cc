#include "study/bench/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <stdexcept>

#include "base/bits.h"
#include "base/error.h"
#include "output/result_writer.h"
#include "primitives/groups/hash.h"
#include "study/bench/index_device.h"
#include "study/bench/on_device.h"
#include "study/bench/strings_device.h"
#include "study/bench/team.h"
#include "study/bench/text_pattern.h"
#include "text/matcher.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::cli::bench {

namespace {

using lanes::Form;
using lanes::RowOptions;
using lanes::Target;

constexpr uint64_t kDefaultRows = 1 << 19;
constexpr uint64_t kSlice = 1 << 17;  // rows between two checks for cancellation

/// The lanes that process rows.
struct Lanes {
  Target target;
  Form form;
  uint32_t width;  ///< lanes of a group
  std::string name;
};

std::vector<Lanes> all_lanes() {
  return {{Target::branching, Form::rows, 1, "branching"},
          {Target::scalar, Form::rows, 1, "scalar"},
          {Target::interleaved, Form::rows, 4, "interleaved 4"},
          {Target::interleaved, Form::rows, 8, "interleaved 8"},
          {Target::avx2, Form::packed, 32, "avx2 packed"},
          {Target::avx512, Form::packed, 64, "avx512 packed"},
          {Target::neon, Form::packed, 64, "neon packed"},
          {Target::emulated, Form::rows, 32, "emulated 32"},
          {Target::emulated, Form::packed, 64, "emulated packed"}};
}

/// A level: lanes, and their threshold of refill.
struct StringsLevel {
  Lanes lanes;
  uint32_t refill_below;  ///< 1: naive
  std::string name;
};

/// Naive and refilled at once, or each threshold that the group's width allows.
std::vector<StringsLevel> levels_of(const Lanes& lanes, const std::vector<uint32_t>& thresholds) {
  if (lanes.width == 1) return {{lanes, 1, lanes.name}};
  if (thresholds.empty()) {
    return {{lanes, 1, lanes.name + " naive"}, {lanes, lanes.width, lanes.name + " refill"}};
  }
  std::vector<StringsLevel> levels;
  for (const uint32_t below : thresholds) {
    if (below <= lanes.width) levels.push_back({lanes, below, fmt::format("{} below {}", lanes.name, below)});
  }
  return levels;
}

TextRows make_rows(const TextShape& shape, const Cancellation& cancellation) {
  try {
    return make_text_rows(shape, [&] { cancellation.check(); });
  } catch (const std::length_error& error) {
    throw UserError(error.what());
  }
}

Lengths parse_lengths(const std::string& text) {
  try {
    return Lengths::parse(text);
  } catch (const std::invalid_argument& error) {
    throw UserError(error.what());
  }
}

/// Rows and their matcher: automata on lanes, or the strategy that a query would use.
class Search {
 public:
  Search(const TextShape& shape, const Cancellation& cancellation)
      : text_(make_rows(shape, cancellation)),
        pattern_(pattern_of(shape)),
        hits_(bits::words(text_.rows())),
        cancellation_(cancellation) {}

  const TextRows& text() const { return text_; }
  const text::Pattern& pattern() const { return pattern_; }
  lanes::AutomatonView automaton() const {
    const auto* automaton = pattern_.compiled().automaton();
    invariant(automaton != nullptr, "the patterns of the benchmark are small");
    return automaton->view();
  }

  /// Calls match(first row, rows, words of hits) slice by slice; returns a hash of all hits.
  template <class Match>
  uint64_t digest(const Match& match, int threads = 1) {
    seconds(match, threads);
    return hash_of(hits_);
  }

  /// Throws WrongResult unless as many rows match as were made.
  uint64_t hash_of(const std::vector<uint64_t>& hits) const {
    uint64_t hash = 0;
    for (const uint64_t word : hits) hash = hash::of_word(hash ^ word);
    const uint64_t found = bits::count(hits.data(), text_.rows());
    if (found != text_.matches) {
      throw WrongResult(fmt::format("{} of {} rows match {}, not {}", found, text_.rows(), pattern_.source(),
                                    text_.matches));
    }
    return hash;
  }

  /// Threads take contiguous ranges of rows.
  template <class Match>
  double seconds(const Match& match, int threads = 1) {
    const uint64_t words = bits::words(text_.rows()), team = static_cast<uint64_t>(threads);
    return run_team(threads, false, [&](int number) {
      const auto me = static_cast<uint64_t>(number);
      run(match, words * me / team * 64, std::min(words * (me + 1) / team * 64, text_.rows()));
    });
  }

  template <class Match>
  void run(const Match& match) {
    run(match, 0, text_.rows());
  }

 private:
  template <class Match>
  void run(const Match& match, uint64_t begin, uint64_t end) {
    for (uint64_t first = begin; first < end; first += kSlice) {
      cancellation_.check();
      match(first, std::min(kSlice, end - first), hits_.data() + first / 64);
    }
  }

  TextRows text_;
  text::Pattern pattern_;
  std::vector<uint64_t> hits_;
  const Cancellation& cancellation_;
};

Contender on_lanes(const std::shared_ptr<Search>& search, const StringsLevel& level, int threads = 1) {
  const Lanes& lanes = level.lanes;
  if (!supported(lanes.target)) return {level.name, "this machine does not support these instructions"};
  const lanes::AutomatonView automaton = search->automaton();
  if (!offers(lanes.target, lanes.form, automaton)) {
    return {level.name,
            fmt::format("{} states x {} classes are too many", automaton.states, automaton.classes)};
  }
  const RowOptions options{.width = lanes.width, .refill_below = level.refill_below};
  const auto matcher =
      std::make_shared<const lanes::RowMatcher>(lanes.target, lanes.form, automaton, options);
  const auto match = [=](lanes::Stats* stats) {
    return [=](uint64_t first, uint64_t rows, uint64_t* hits) {
      const TextRows& text = search->text();
      matcher->match({text.bytes.data(), text.offsets.data() + first, rows}, nullptr, hits, stats);
    };
  };
  return {.level = threads == 1 ? level.name : fmt::format("{}, {} threads", level.name, threads),
          .digest = [=] { return search->digest(match(nullptr), threads); },
          .seconds = [=] { return search->seconds(match(nullptr), threads); },
          .observe =
              [=] {
                lanes::Stats stats;
                search->run(match(&stats));
                return stats;
              },
          .refill_below = level.refill_below,
          .one_thread = threads == 1};
}

/// The match strategy of a query.
Contender as_chosen(const std::shared_ptr<Search>& search) {
  const auto matcher = std::make_shared<const text::Matcher>(search->pattern());
  const auto context = std::make_shared<text::MatchContext>();
  const auto match = [=](uint64_t first, uint64_t rows, uint64_t* hits) {
    const TextRows& text = search->text();
    matcher->match({text.bytes.data(), text.offsets.data() + first, rows}, nullptr, hits, *context);
  };
  return {.level = fmt::format("chosen: {}", matcher->form()),
          .digest = [=] { return search->digest(match); },
          .seconds = [=] { return search->seconds(match); },
          .one_thread = true};
}

constexpr std::pair<const char*, RowTest> kTests[] = {
    {"equality", RowTest::equality}, {"prefix", RowTest::prefix}, {"regex", RowTest::regex}};

/// The GPU of the options, or why it cannot be used.
struct TextDevice {
  std::unique_ptr<TextOnDevice> on;
  std::string why_not;
};

TextDevice text_device(const StringsOptions& options) {
  if (options.device == "cpu") return {};
  try {
    gpu::Device* const device = find_device(options.device);
    return {device == nullptr ? nullptr : std::make_unique<TextOnDevice>(*device), ""};
  } catch (const CancelledError&) {
    throw;
  } catch (const std::exception& error) {
    return {nullptr, error.what()};
  }
}

Group measure_group(const StringsOptions& options, const std::string& test, const std::string& lengths,
                    const TextShape& shape, const TextDevice& device, Bench& bench) {
  bench.say(fmt::format("generating rows of {} length", lengths));
  const auto search = std::make_shared<Search>(shape, bench.cancellation());
  const TextRows& text = search->text();
  Group group;
  group.rows = text.rows();
  group.bytes = text.size();
  group.title = fmt::format("{} {}: {} rows of {} length, {:g} % match", test, search->pattern().source(),
                            with_commas(static_cast<int64_t>(group.rows)), lengths, options.match);
  group.about = {
      {"test", test},           {"pattern", search->pattern().source()}, {"lengths", lengths},
      {"match", options.match}, {"mismatch", options.mismatch},          {"matches", text.matches}};
  group.arguments = {"bench",      "strings",       "--test",  test,
                     "--lengths",  lengths,         "--match", fmt::format("{}", options.match),
                     "--mismatch", options.mismatch};
  if (!options.thresholds.empty()) {
    group.arguments.insert(group.arguments.end(),
                           {"--thresholds", fmt::format("{}", fmt::join(options.thresholds, ","))});
  }
  std::vector<Contender> contenders;
  for (const Lanes& lanes : all_lanes()) {
    for (const StringsLevel& level : levels_of(lanes, options.thresholds)) {
      if (!bench.wants(level.name)) continue;
      contenders.push_back(on_lanes(search, level));
      if (options.threads > 1) contenders.push_back(on_lanes(search, level, options.threads));
    }
  }
  Contender chosen = as_chosen(search);
  if (bench.wants(chosen.level)) contenders.push_back(std::move(chosen));
  if (device.on != nullptr) {
    offer(contenders, TextOnDevice::level_names(), [&] {
      device.on->load(text, shape, search->pattern());
      const auto hash = [search](const std::vector<uint64_t>& hits) { return search->hash_of(hits); };
      if (options.shapes)
        device.on->add_shapes(contenders, hash);
      else
        device.on->add(contenders, hash);
    });
  } else if (!device.why_not.empty()) {
    for (const std::string& level : TextOnDevice::level_names())
      contenders.push_back({.level = level, .not_offered = device.why_not});
  }
  return bench.measure(std::move(group), contenders);
}

int64_t parse_mismatch(const std::string& text) {
  if (text == "random") return -1;
  int64_t at = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
  if (error != std::errc() || end != text.data() + text.size() || at < 0) {
    throw UserError(fmt::format("bad --mismatch '{}': expected random, or a byte (the first is 0)", text));
  }
  return at;
}

}  // namespace

std::vector<Group> run_strings(const StringsOptions& options, Bench& bench,
                               const std::function<void(const Group&)>& emit) {
  std::vector<std::string> lengths = options.lengths;
  if (lengths.empty()) lengths = {"constant", "uniform", "skewed"};
  const int64_t mismatch = parse_mismatch(options.mismatch);
  for (const std::string& name : lengths) parse_lengths(name);  // before anything is measured

  const TextDevice device = text_device(options);
  std::vector<Group> groups;
  for (const auto& [test, kind] : kTests) {
    if (!options.tests.empty() && std::ranges::count(options.tests, test) == 0) continue;
    for (const std::string& name : lengths) {
      const TextShape shape{kind,
                            parse_lengths(name),
                            options.match,
                            mismatch,
                            options.rows == 0 ? kDefaultRows : options.rows,
                            options.seed};
      groups.push_back(measure_group(options, test, name, shape, device, bench));
      emit(groups.back());
    }
  }
  return groups;
}

const std::vector<std::string>& string_test_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, test] : kTests) names.emplace_back(name);
    return names;
  }();
  return kNames;
}

}  // namespace lanewise::cli::bench
