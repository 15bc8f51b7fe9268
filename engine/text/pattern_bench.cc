// The cost of compiling a pattern to its first form, and of running it, compared with RE2.
#include <benchmark/benchmark.h>
#include <re2/re2.h>

#include <random>

#include "base/error.h"
#include "text/captures/captures.h"
#include "text/captures/tagged_automaton.h"
#include "text/matcher.h"
#include "text/testing/regex_set.h"
#include "text/testing/text_column.h"

namespace lanewise::text {
namespace {

void compile(benchmark::State& state, const char* source) {
  std::string form;
  for (auto _ : state) {
    const Matcher matcher(compile_regex(source));
    form = matcher.form();
  }
  state.SetLabel(form);
}

void compile_re2(benchmark::State& state, const char* source) {
  for (auto _ : state) {
    const RE2 re(source);
    benchmark::DoNotOptimize(RE2::PartialMatch("usr/share/doc/x", re));
  }
}

/// Paths of 8 to 120 bytes from a small vocabulary.
const testing::TextColumn& paths() {
  static const testing::TextColumn kPaths = [] {
    const std::vector<std::string> parts{"usr",         "share",    "lib",         "doc",          "python3",
                                         "locale",      "de",       "LC_MESSAGES", "test",         "README",
                                         "libfoo.so.6", "icon.png", "x-2.14",      "changelog.gz", "man1"};
    std::mt19937 random(1);
    std::vector<std::string> texts(200'000);
    for (std::string& text : texts) {
      for (size_t length = 8 + random() % 112; text.size() < length;)
        text += "/" + parts[random() % parts.size()];
    }
    return testing::TextColumn(texts);
  }();
  return kPaths;
}

/// With the strategy `form`; empty: the one that is chosen.
void match(benchmark::State& state, const char* source, std::string_view form) {
  const Matcher matcher(compile_regex(source), {std::string(form)});
  MatchContext context;
  std::vector<uint64_t> hits(paths().size() / 64 + 1);
  for (auto _ : state) matcher.match(paths().narrow(), nullptr, hits.data(), context);
  state.SetBytesProcessed(static_cast<int64_t>(context.bytes));
  state.SetLabel(std::string(matcher.form()) + ", " + std::to_string(context.hits / state.iterations()) +
                 " hits");
}

void match_re2(benchmark::State& state, const char* source) {
  const RE2 re(source);
  const lanes::StringRows rows = paths().narrow();
  size_t hits = 0;
  for (auto _ : state) {
    hits = 0;
    for (size_t i = 0; i < rows.count; ++i) hits += RE2::PartialMatch(rows.row(i), re);
  }
  state.SetBytesProcessed(static_cast<int64_t>(rows.byte_count() * state.iterations()));
  state.SetLabel(std::to_string(hits) + " hits");
}

void extract(benchmark::State& state, const char* source) {
  const Pattern pattern = compile_regex(source);
  const int group = std::min(pattern.groups(), 1);
  const lanes::StringRows rows = paths().narrow();
  CaptureContext context;
  for (auto _ : state) {
    for (size_t i = 0; i < rows.count; ++i) {
      benchmark::DoNotOptimize(regexp_extract(pattern, rows.row(i), group, context));
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(rows.byte_count() * state.iterations()));
}

/// With the automaton that devices use (docs/understand/decisions/0010).
void extract_tagged(benchmark::State& state, const char* source) {
  const Pattern pattern = compile_regex(source);
  const int groups[] = {std::min(pattern.groups(), 1)};
  const auto automaton = captures::TaggedAutomaton::make(pattern, groups);
  if (!automaton) return state.SkipWithError("it is too large");
  const lanes::StringRows rows = paths().narrow();
  Capture found;
  for (auto _ : state) {
    for (size_t i = 0; i < rows.count; ++i)
      benchmark::DoNotOptimize(automaton->find(rows.row(i), 0, {&found, 1}));
  }
  state.SetBytesProcessed(static_cast<int64_t>(rows.byte_count() * state.iterations()));
}

void extract_re2(benchmark::State& state, const char* source) {
  const RE2 re(source);
  const int groups = std::min(re.NumberOfCapturingGroups(), 1) + 1;
  const lanes::StringRows rows = paths().narrow();
  re2::StringPiece found[2];
  for (auto _ : state) {
    for (size_t i = 0; i < rows.count; ++i) {
      const std::string_view text = rows.row(i);
      benchmark::DoNotOptimize(re.Match(text, 0, text.size(), RE2::UNANCHORED, found, groups));
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(rows.byte_count() * state.iterations()));
}

/// The strategies that support the pattern.
std::vector<std::string_view> forms_of(const char* source) {
  const Pattern pattern = compile_regex(source);
  std::vector<std::string_view> forms = Matcher::form_names();
  std::erase_if(forms, [&](std::string_view form) {
    try {
      const Matcher matcher(pattern, {std::string(form)});
      return false;
    } catch (const UserError&) {
      return true;
    }
  });
  return forms;
}

const bool kRegistered = [] {
  for (const char* source : testing::kRegexSet) {
    const std::string name = source;
    benchmark::RegisterBenchmark(("compile/" + name).c_str(), compile, source);
    benchmark::RegisterBenchmark(("compile_re2/" + name).c_str(), compile_re2, source);
  }
  for (const char* source : testing::kRegexSet) {
    const std::string name = source;
    benchmark::RegisterBenchmark(("match/" + name).c_str(), match, source, "")->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("match_re2/" + name).c_str(), match_re2, source)
        ->Unit(benchmark::kMillisecond);
  }
  for (const char* source : testing::kRegexSet) {
    for (const std::string_view form : forms_of(source)) {
      const std::string name = "form/" + std::string(form) + "/" + source;
      benchmark::RegisterBenchmark(name.c_str(), match, source, form)->Unit(benchmark::kMillisecond);
    }
  }
  for (const char* source : testing::kRegexSet) {
    const std::string name = source;
    benchmark::RegisterBenchmark(("extract/" + name).c_str(), extract, source)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("extract_tagged/" + name).c_str(), extract_tagged, source)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("extract_re2/" + name).c_str(), extract_re2, source)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace lanewise::text
