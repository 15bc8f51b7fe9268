// The test logs of RE2 that Go ships (Debian: golang-1.19-src), through every form and both ways of finding
// captures. `./dev test --all` takes all of the large log, otherwise every eighth of its patterns is
// tested.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/test_size.h"
#include "text/captures/captures.h"
#include "text/captures/engines/backtracker.h"
#include "text/captures/engines/pike_vm.h"
#include "text/pattern/compiled_pattern.h"
#include "text/testing/every_form.h"
#include "text/testing/text_column.h"
#include "text/unicode/utf8.h"

namespace lanewise::text {
namespace {

const std::string kFolder = "/usr/share/go-1.19/src/regexp/testdata/";

/// A Go string literal in double quotes.
std::string unquote(const std::string& line) {
  std::string out;
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    const char c = line[++i];
    const auto hex = [&](int digits) {
      const auto value = static_cast<char32_t>(std::stoul(line.substr(i + 1, digits), nullptr, 16));
      i += digits;
      return value;
    };
    switch (c) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'a':
        out += '\a';
        break;
      case 'f':
        out += '\f';
        break;
      case 'v':
        out += '\v';
        break;
      case 'x':
        out += static_cast<char>(hex(2));
        break;
      case 'u':
        out += unicode::encode(hex(4));
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// "0-2 1-2 -" as groups; nullopt for "-", no match.
std::optional<std::vector<Capture>> parse_groups(const std::string& text) {
  if (text == "-") return std::nullopt;
  std::vector<Capture> groups;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string one = text.substr(at, end - at);
    at = end + 1;
    if (one == "-") {
      groups.emplace_back();
    } else {
      groups.push_back({std::stoul(one), std::stoul(one.substr(one.find('-') + 1))});
    }
  }
  return groups;
}

std::string show_groups(const std::vector<Capture>& groups) {
  std::string out;
  for (const Capture& g : groups) {
    out += g.matched() ? std::to_string(g.begin) + "-" + std::to_string(g.end) + " " : "- ";
  }
  return out;
}

class Corpus {
 public:
  explicit Corpus(size_t every) : every_(every) {}

  /// Reads one line of the log; false after the first error.
  void line(const std::string& text) {
    if (text[0] == '#' || (text[0] >= 'A' && text[0] <= 'Z')) return;
    if (text == "strings") {
      finish_pattern();
      strings_.clear();
      in_strings_ = true;
    } else if (text == "regexps") {
      in_strings_ = false;
      column_.emplace(strings_, 3);
    } else if (text[0] == '"') {
      if (in_strings_) {
        strings_.push_back(unquote(text));
      } else {
        finish_pattern();
        pattern_ = unquote(text);
      }
    } else {
      results_.push_back(text);
    }
  }

  void finish_pattern() {
    if (pattern_ && seen_++ % every_ == 0 && !::testing::Test::HasFailure()) check();
    pattern_.reset();
    results_.clear();
  }

  size_t cases() const { return cases_; }
  const testing::FormCounts& counts() const { return counts_; }

 private:
  void check() {
    ASSERT_EQ(results_.size(), strings_.size()) << *pattern_;
    for (int column = 0; column < 2; ++column) {
      const bool full = column == 0;
      RegexOptions options;
      options.full_match = full;
      const Pattern pattern = compile_regex(*pattern_, options);
      const Pattern finder = full ? compile_regex("\\A(?:" + *pattern_ + ")\\z") : pattern;
      std::vector<uint64_t> expected(bits::words(strings_.size()));
      for (size_t i = 0; i < strings_.size(); ++i) {
        // full match; search; and both with leftmost-longest, which we do not support
        const std::string& all = results_[i];
        const size_t first = all.find(';');
        const std::string result =
            full ? all.substr(0, first) : all.substr(first + 1, all.find(';', first + 1) - first - 1);
        const auto groups = parse_groups(result);
        if (groups) bits::set(expected.data(), i);
        check_captures(finder, strings_[i], groups);
        if (::testing::Test::HasFatalFailure()) return;
        ++cases_;
      }
      if (!testing::check_every_form(pattern, *column_, expected, counts_)) return;
    }
  }

  void check_captures(const Pattern& pattern, const std::string& text,
                      const std::optional<std::vector<Capture>>& expected) {
    const auto& compiled = pattern.compiled();
    const std::string wanted = expected ? show_groups(*expected) : "";
    std::vector<Capture> groups(pattern.groups() + 1);
    const bool found = backtracker_.find(compiled.program(), compiled.start_condition(), text, 0, groups);
    ASSERT_EQ(found ? show_groups(groups) : "", wanted)
        << "backtracker: " << pattern.source() << " in " << text;
    const bool again = pike_vm_.find(compiled.program(), compiled.start_condition(), text, 0, groups);
    ASSERT_EQ(again ? show_groups(groups) : "", wanted) << "Pike: " << pattern.source() << " in " << text;
  }

  const size_t every_;
  size_t seen_ = 0;
  size_t cases_ = 0;
  bool in_strings_ = false;
  std::vector<std::string> strings_;
  std::optional<testing::TextColumn> column_;
  std::optional<std::string> pattern_;
  std::vector<std::string> results_;
  testing::FormCounts counts_;
  captures::Backtracker backtracker_;
  captures::PikeVm pike_vm_;
};

/// Passes the output of `command` to the corpus.
void run(const std::string& command, Corpus& corpus) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  char* buffer = nullptr;
  size_t capacity = 0;
  for (ssize_t size;
       (size = getline(&buffer, &capacity, pipe.get())) > 0 && !::testing::Test::HasFailure();) {
    corpus.line(std::string(buffer, buffer[size - 1] == '\n' ? size - 1 : size));
  }
  std::free(buffer);
  corpus.finish_pattern();
  std::printf("%zu cases; in all forms:\n", corpus.cases());
  corpus.counts().print();
}

TEST(Re2Corpus, Search) {
  const std::string file = kFolder + "re2-search.txt";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no " << file << "; it is in the package golang-1.19-src";
  Corpus corpus(test_size(8, 1));
  run("cat " + file, corpus);
  EXPECT_GT(corpus.cases(), test_size(300u, 3'000u));
}

TEST(Re2Corpus, Exhaustive) {
  const std::string file = kFolder + "re2-exhaustive.txt.bz2";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no " << file << "; it is in the package golang-1.19-src";
  if (std::system("bzip2 --help > /dev/null 2>&1") != 0) GTEST_SKIP() << "no bzip2";
  Corpus corpus(test_size(512, 24, 1));
  run("bzip2 -dc " + file, corpus);
  EXPECT_GT(corpus.cases(), test_size(15'000u, 300'000u, 1'000'000u));
}

}  // namespace
}  // namespace lanewise::text
