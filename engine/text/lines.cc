#include "text/lines.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "text/literals/neighbours.h"
#include "text/pattern/compiled_pattern.h"
#include "text/unicode/utf8.h"

namespace lanewise::text {

namespace {

constexpr size_t kLinesAtOnce = 4096;  // with their text they fit a core's cache
constexpr size_t kShortest = 2;        // bytes; shorter needles occur too often
constexpr size_t kCandidate = 96;  // the cost of a candidate, in bytes of text split into lines and matched
constexpr size_t kLine = 64;       // the same for a line whose match is found at once
constexpr int kPatience = 15;      // after this many more blocks they get another chance

/// Calls found(i) for each set bit.
template <class Found>
void each_hit(const std::vector<uint64_t>& hits, size_t rows, const Found& found) {
  for (size_t w = 0; w < bits::words(rows); ++w) {
    for (uint64_t word = hits[w]; word != 0; word &= word - 1)
      found(w * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
}

/// Merges lines into those from lines[first] on; both are in order, and so is the result.
void merge(const std::vector<lanes::Line>& more, size_t first, std::vector<lanes::Line>& lines) {
  if (more.empty()) return;
  const auto middle = static_cast<ptrdiff_t>(lines.size());
  const bool behind = lines.size() == first || lines.back().begin < more.front().begin;
  lines.insert(lines.end(), more.begin(), more.end());
  if (behind) return;
  std::inplace_merge(
      lines.begin() + static_cast<ptrdiff_t>(first), lines.begin() + middle, lines.end(),
      [](const lanes::Line& one, const lanes::Line& other) { return one.begin < other.begin; });
}

}  // namespace

LineMatcher::LineMatcher(Pattern pattern, const MatcherOptions& options, char line_end)
    : matcher_(std::move(pattern), options),
      target_(lanes::parse_target(options.lanes).value_or(lanes::simd())),
      line_end_(line_end) {
  if (options.form.empty()) words_ = matcher_.pattern().compiled().words();
  if (words_ != nullptr && !words_->takes_lines(line_end)) words_ = nullptr;
  if (line_end != '\n' || words_ != nullptr) return;
  if (!options.form.empty() || options.lanes == "packed") return;
  choose_needle();
  if (!finder_) choose_sequences();
}

void LineMatcher::choose_needle() {
  const detail::CompiledPattern& compiled = matcher_.pattern().compiled();
  const auto& pieces = compiled.pieces;
  needle_is_all_ = pieces && pieces->pieces.size() == 1 && !pieces->at_begin && !pieces->at_end;
  needle_ = needle_is_all_ ? pieces->pieces[0] : compiled.required;
  const bool pays = needle_is_all_ || needle_.size() >= kShortest;
  if (!pays || needle_.find('\n') != std::string::npos) return;
  finder_.emplace(target_, needle_);
  if (!needle_is_all_ && !compiled.full_match) neighbours_ = literals::find_neighbours(compiled.ast, needle_);
}

void LineMatcher::choose_sequences() {
  const literals::Sequences& found = matcher_.pattern().compiled().sequences();
  std::vector<lanes::Sequence> in_lines;
  for (lanes::Sequence sequence : found.any) {
    for (auto& place : sequence) place.reset('\n');  // no match crosses a line end
    if (std::ranges::all_of(sequence, [](const auto& place) { return place.any(); }))
      in_lines.push_back(sequence);
  }
  if (in_lines.empty() || lanes::expected_candidates(in_lines) * kCandidate > 1) return;
  sequences_.emplace(target_, in_lines);
  needle_is_all_ = found.exact;
}

void LineMatcher::match(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                        LineContext& context) const {
  const bool by_words = words_ != nullptr && !words_->folds({reinterpret_cast<const char*>(text), size});
  if (by_words) return words_->match_lines(text, size, line_end_, lines);
  if (!finds()) return by_line(text, size, lines, context);
  if (context.blocks_by_line > 0) {
    --context.blocks_by_line;
    return by_line(text, size, lines, context);
  }
  by_candidate(text, size, lines, context);
}

/// Writes the ends of up to kLinesAtOnce lines, or a few more; returns their number.
size_t LineMatcher::split(const uint8_t* text, size_t at, size_t size, uint32_t* ends) const {
  if (line_end_ == '\n') return lanes::find_line_ends(target_, text, at, size, ends, kLinesAtOnce);
  size_t lines = 0;
  while (at < size && lines < kLinesAtOnce) {
    const void* end = std::memchr(text + at, line_end_, size - at);
    at = end == nullptr ? size : static_cast<size_t>(static_cast<const uint8_t*>(end) - text) + 1;
    ends[lines++] = static_cast<uint32_t>(at);
  }
  return lines;
}

void LineMatcher::by_line(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                          LineContext& context) const {
  std::vector<uint32_t>& offsets = context.offsets;
  offsets.resize(1 + kLinesAtOnce + 64);
  context.hits.resize(bits::words(offsets.size()));
  for (size_t at = 0; at < size; at = offsets[0]) {
    offsets[0] = static_cast<uint32_t>(at);
    const size_t rows = split(text, at, size, offsets.data() + 1);
    matcher_.match(lanes::StringRows(text, offsets.data(), rows, 1), nullptr, context.hits.data(),
                   context.match);
    each_hit(context.hits, rows, [&](size_t row) { lines.push_back({offsets[row], offsets[row + 1]}); });
    offsets[0] = offsets[rows];
  }
}

void LineMatcher::by_candidate(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                               LineContext& context) const {
  const size_t before = lines.size();
  context.candidates.clear();
  find_candidates(text, size, lines, context.candidates, context);
  context.found.clear();
  match_some(text, context.candidates, context.found, context);
  merge(context.found, before, lines);
}

void LineMatcher::find_candidates(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                                  std::vector<lanes::Line>& open, LineContext& context) const {
  const size_t before = lines.size();
  std::vector<lanes::Line>& found = needle_is_all_ ? lines : open;
  if (neighbours_) {
    finder_->match_lines(text, size, *neighbours_, lines, open);
  } else if (finder_) {
    finder_->match_lines(text, size, found);
  } else {
    sequences_->match_lines(text, size, found);
  }
  const size_t cost = (lines.size() - before) * kLine + open.size() * kCandidate;
  if (cost > size) context.blocks_by_line = kPatience;
}

void LineMatcher::match_some(const uint8_t* text, const std::vector<lanes::Line>& candidates,
                             std::vector<lanes::Line>& lines, LineContext& context) const {
  if (candidates.empty()) return;
  std::vector<uint32_t>& offsets = context.offsets;
  offsets.assign(1, 0);
  for (const lanes::Line& line : candidates) offsets.push_back(offsets.back() + line.end - line.begin);
  context.gathered.resize(offsets.back() + size_t{64});
  context.hits.resize(bits::words(candidates.size()));
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto [begin, end] = candidates[i];
    std::memcpy(context.gathered.data() + offsets[i], text + begin, end - begin);
  }
  matcher_.match(lanes::StringRows(context.gathered.data(), offsets.data(), candidates.size(), 1), nullptr,
                 context.hits.data(), context.match);
  each_hit(context.hits, candidates.size(), [&](size_t row) { lines.push_back(candidates[row]); });
}

const Pattern& UnicodeLineMatcher::pattern_for(std::string_view text) const {
  return differs_ && unicode::is_ascii(text) ? of_ascii_.pattern() : whole_;
}

void UnicodeLineMatcher::match(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                               LineContext& context) const {
  if (shares_candidates_ && context.blocks_by_line == 0) return match_candidates(text, size, lines, context);
  if (!differs_ || unicode::is_ascii({reinterpret_cast<const char*>(text), size}))
    return of_ascii_.match(text, size, lines, context);
  match_mixed(text, size, lines, context);
}

namespace {

/// The line without its line end.
std::string_view view(const uint8_t* text, const lanes::Line& line) {
  return {reinterpret_cast<const char*>(text) + line.begin, line.end - line.begin - size_t{1}};
}

}  // namespace

/// The lines of context.high that match become context.high_found; if automata may report false matches, by
/// captures.
void UnicodeLineMatcher::match_high(const uint8_t* text, LineContext& context) const {
  context.high_found.clear();
  std::swap(context.match, context.match_all);
  of_all_->match_some(text, context.high, context.high_found, context);
  std::swap(context.match, context.match_all);
  if (!whole_.approximate() || whole_.full_match()) return;
  std::erase_if(context.high_found, [&](const lanes::Line& line) {
    Capture match;
    return !find_captures(whole_, view(text, line), 0, {&match, 1}, context.captures);
  });
}

/// Lines with the required literal: if its neighbours do not decide, ASCII lines are matched
/// by one pattern, the others by the other.
void UnicodeLineMatcher::match_candidates(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                                          LineContext& context) const {
  const size_t before = lines.size();
  context.candidates.clear();
  of_all_->find_candidates(text, size, lines, context.candidates, context);
  context.high.clear();
  context.ascii.clear();
  for (const lanes::Line& line : context.candidates)
    (unicode::is_ascii(view(text, line)) ? context.ascii : context.high).push_back(line);
  match_high(text, context);
  merge(context.high_found, before, lines);
  context.ascii_found.clear();
  of_ascii_.match_some(text, context.ascii, context.ascii_found, context);
  merge(context.ascii_found, before, lines);
}

/// All lines: ASCII lines by one pattern, the others by the other.
void UnicodeLineMatcher::match_mixed(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                                     LineContext& context) const {
  context.high.clear();
  for (size_t at = 0; at < size;) {
    const void* found = std::memchr(text + at, of_ascii_.line_end(), size - at);
    const size_t end =
        found == nullptr ? size : static_cast<size_t>(static_cast<const uint8_t*>(found) - text) + 1;
    const lanes::Line line{static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
    if (!unicode::is_ascii(view(text, line))) context.high.push_back(line);
    at = end;
  }
  match_high(text, context);
  context.ascii_found.clear();
  of_ascii_.match(text, size, context.ascii_found, context);
  // Non-ASCII lines are decided above, whatever the other pattern reports for them.
  auto high = context.high.begin();
  std::erase_if(context.ascii_found, [&](const lanes::Line& line) {
    while (high != context.high.end() && high->begin < line.begin) ++high;
    return high != context.high.end() && high->begin == line.begin;
  });
  const size_t before = lines.size();
  merge(context.ascii_found, before, lines);
  merge(context.high_found, before, lines);
}

std::string LineMatcher::describe() const {
  std::string how;
  if (finds()) {
    how = finder_ ? "'" + needle_ + "'" : "sequences of bytes";
    how += " searched in all lines at once on " + std::string(lanes::name(target_));
    if (neighbours_) how += ", the bytes before and after it decide";
    if (needle_is_all_) return how;
    how += ", then ";
  }
  return how + std::string(matcher_.form()) + ": " + matcher_.why();
}

}  // namespace lanewise::text
