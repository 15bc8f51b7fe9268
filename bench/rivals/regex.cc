// Patterns over the lines of a file as rows, in one process and thread: ours, RE2, Hyperscan, Vectorscan, and
// for patterns that are a text StringZilla.
// Prints lines of JSON: the rate at which the text is read; then for each pattern hits, our form, the time to
// compile, and the least seconds of each way. A way of Hyperscan whose count differs from RE2's is left out.
// Usage: lanewise_rival_regex FILE ROUNDS LANES RIVALS, where RIVALS is the folder with hyperscan/ and
// vectorscan/.
#include <re2/re2.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#ifdef LANEWISE_STRINGZILLA
#include <stringzilla/stringzilla.h>
#endif

#include "hyperscan.h"
#include "text/matcher.h"
#include "text/pattern/compiled_pattern.h"
#include "text/testing/regex_set.h"

namespace lanewise::rivals {
namespace {

constexpr size_t kRowsAtOnce = 16'384;  // in the engine's format

/// The lines of a file: with line ends and, as rows, without.
struct Text {
  std::string lines;
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> offsets{0};

  explicit Text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    lines.assign(std::istreambuf_iterator<char>(file), {});
    if (lines.empty() || lines.back() != '\n')
      throw std::runtime_error(path + " is empty or lacks its last line's end");
    for (size_t at = 0; at < lines.size();) {
      const size_t end = lines.find('\n', at);
      bytes.insert(bytes.end(), lines.begin() + at, lines.begin() + end);
      offsets.push_back(static_cast<uint32_t>(bytes.size()));
      at = end + 1;
    }
    bytes.resize(bytes.size() + 64);
  }
  size_t rows() const { return offsets.size() - 1; }
  size_t size() const { return offsets.back(); }
  const char* row(size_t i) const { return reinterpret_cast<const char*>(bytes.data()) + offsets[i]; }
};

size_t count_ours(const Text& text, const text::Matcher& matcher) {
  static std::vector<uint64_t> hits(kRowsAtOnce / 64);
  text::MatchContext context;
  for (size_t first = 0; first < text.rows(); first += kRowsAtOnce) {
    const size_t rows = std::min(kRowsAtOnce, text.rows() - first);
    matcher.match(lanes::StringRows(text.bytes.data(), text.offsets.data() + first, rows), nullptr,
                  hits.data(), context);
  }
  return context.hits;
}

size_t count_re2(const Text& text, const RE2& re) {
  size_t hits = 0;
  for (size_t i = 0; i < text.rows(); ++i) {
    hits += RE2::PartialMatch(re2::StringPiece(text.row(i), text.offsets[i + 1] - text.offsets[i]), re);
  }
  return hits;
}

size_t count_by_row(const Text& text, const Hyperscan& library, const Hyperscan::Database& database) {
  size_t hits = 0;
  const auto stop = [](unsigned, unsigned long long, unsigned long long, unsigned, void* count) {
    ++*static_cast<size_t*>(count);
    return 1;
  };
  for (size_t i = 0; i < text.rows(); ++i) {
    library.scan(database, text.row(i), text.offsets[i + 1] - text.offsets[i], stop, &hits);
  }
  return hits;
}

size_t count_by_buffer(const Text& text, const Hyperscan& library, const Hyperscan::Database& database) {
  struct Lines {
    const std::string& text;
    size_t counted_to = 0;  // the end of the last matching line
    size_t hits = 0;
  } lines{text.lines};
  const auto count = [](unsigned, unsigned long long, unsigned long long to, unsigned, void* context) {
    Lines& l = *static_cast<Lines*>(context);
    if (to <= l.counted_to) return 0;
    ++l.hits;
    l.counted_to = l.text.find('\n', to);
    return 0;
  };
  library.scan(database, text.lines.data(), static_cast<unsigned>(text.lines.size()), count, &lines);
  return lines.hits;
}

#ifdef LANEWISE_STRINGZILLA
/// Lines that contain `wanted`; all lines are searched at once.
size_t count_containing(const Text& text, const std::string& wanted) {
  size_t hits = 0;
  const char* const end = text.lines.data() + text.lines.size();
  for (const char* at = text.lines.data();
       (at = sz_find(at, static_cast<size_t>(end - at), wanted.data(), wanted.size())) != nullptr; ++hits) {
    at = sz_find_byte(at, static_cast<size_t>(end - at), "\n");
  }
  return hits;
}
#endif

/// The same pattern for all lines as one text: its classes must not match a line end.
std::string for_lines(std::string pattern) {
  for (size_t at = 0; (at = pattern.find("[^", at)) != std::string::npos; at += 4)
    pattern.insert(at + 2, "\\n");
  return pattern;
}

struct Way {
  std::string name;
  std::function<size_t()> count;
  double seconds = 1e9;
};

/// The time of this thread, without other programs.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& work) {
  const double start = now();
  work();
  return now() - start;
}

/// Bytes per second of a plain loop over the text: the limit for everything that reads each byte.
double read_rate(const Text& text) {
  double seconds = 1e9;
  for (int i = 0; i < 5; ++i) {
    seconds = std::min(seconds, seconds_of([&] {
                         uint64_t sum = 0;
                         for (size_t at = 0; at + 64 <= text.bytes.size(); at += 64) {
                           uint64_t words[8];
                           std::memcpy(words, text.bytes.data() + at, 64);
                           for (uint64_t word : words) sum += word;
                         }
                         volatile uint64_t kept = sum;
                         static_cast<void>(kept);
                       }));
  }
  return static_cast<double>(text.size()) / seconds;
}

nlohmann::json compare(const Text& text, const std::string& source, int rounds, const std::string& lanes,
                       const std::map<std::string, Hyperscan>& libraries) {
  double compiled = 1e9;
  for (int i = 0; i < 5; ++i) {
    compiled =
        std::min(compiled, seconds_of([&] { text::Matcher(text::compile_regex(source), {"", lanes}); }));
  }
  const text::Matcher matcher(text::compile_regex(source), {"", lanes});
  const RE2 re(source);
  std::vector<Way> ways{{"lanewise", [&] { return count_ours(text, matcher); }},
                        {"re2", [&] { return count_re2(text, re); }}};
  for (const auto& [name, library] : libraries) {
    for (unsigned utf8 : {0u, unsigned{Hyperscan::kUtf8}}) {
      if (const auto rows = library.compile(source, Hyperscan::kSingleMatch | utf8))
        ways.push_back({name, [&, rows] { return count_by_row(text, library, rows); }});
      if (const auto all = library.compile(for_lines(source), Hyperscan::kMultiline | utf8))
        ways.push_back({name, [&, all] { return count_by_buffer(text, library, all); }});
    }
  }
#ifdef LANEWISE_STRINGZILLA
  const auto& literal = matcher.pattern().compiled().pieces;
  if (literal && literal->pieces.size() == 1 && !literal->at_begin && !literal->at_end) {
    ways.push_back({"stringzilla", [&] { return count_containing(text, literal->pieces[0]); }});
  }
#endif
  const size_t expected = count_re2(text, re);
  if (ways[0].count() != expected) throw std::runtime_error(source + ": our count differs from RE2's");
  std::erase_if(ways, [&](const Way& way) { return way.count() != expected; });
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) way.seconds = std::min(way.seconds, seconds_of([&] { way.count(); }));
  }
  nlohmann::json seconds;
  for (const Way& way : ways) {
    double& least = seconds.emplace(way.name, way.seconds).first->get_ref<double&>();
    least = std::min(least, way.seconds);
  }
  return {{"pattern", source},      {"rows", text.rows()},  {"bytes", text.size()}, {"hits", expected},
          {"form", matcher.form()}, {"why", matcher.why()}, {"compile", compiled},  {"seconds", seconds}};
}

}  // namespace
}  // namespace lanewise::rivals

int main(int argc, char** argv) try {
  using namespace lanewise;
  if (argc < 5) throw std::runtime_error("usage: lanewise_rival_regex FILE ROUNDS LANES RIVALS [PATTERN...]");
  const rivals::Text text(argv[1]);
  std::cout << nlohmann::json{{"read", rivals::read_rate(text)}} << '\n' << std::flush;
  const std::string folder = argv[4];
  std::map<std::string, rivals::Hyperscan> libraries;
  for (const char* name : {"hyperscan", "vectorscan"}) {
    libraries.emplace(name, rivals::Hyperscan(folder + "/" + name + "/usr/lib/x86_64-linux-gnu/libhs.so.5",
                                              argv[3] == std::string("avx2")));
  }
  std::vector<std::string> patterns(argv + 5, argv + argc);
  if (patterns.empty())
    patterns.assign(std::begin(text::testing::kRegexSet), std::end(text::testing::kRegexSet));
  for (const std::string& pattern : patterns) {
    std::cout << rivals::compare(text, pattern, std::stoi(argv[2]), argv[3], libraries) << '\n' << std::flush;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
