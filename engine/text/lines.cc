#include "text/lines.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "text/compiled_pattern.h"

namespace lanewise::text {

namespace {

constexpr size_t kLinesAtOnce = 4096;  // with their text they stay in a core's cache
constexpr size_t kShortest = 2;        // bytes; shorter needles are found too often
constexpr size_t kSparse = 256;        // bytes of text for each candidate; more of them do not pay
constexpr int kPatience = 15;          // so many texts later they get another chance

/// Calls found(i) for each set bit.
template <class Found>
void each_hit(const std::vector<uint64_t>& hits, size_t rows, const Found& found) {
  for (size_t w = 0; w < bits::words(rows); ++w) {
    for (uint64_t word = hits[w]; word != 0; word &= word - 1)
      found(w * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
}

}  // namespace

LineMatcher::LineMatcher(Pattern pattern, const MatcherOptions& options)
    : matcher_(std::move(pattern), options),
      target_(lanes::parse_target(options.lanes).value_or(lanes::simd())) {
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
  if (pays && needle_.find('\n') == std::string::npos) finder_.emplace(target_, needle_);
}

void LineMatcher::choose_sequences() {
  const literals::Sequences& found = matcher_.pattern().compiled().sequences();
  std::vector<lanes::Sequence> in_lines;
  for (lanes::Sequence sequence : found.any) {
    for (auto& place : sequence) place.reset('\n');  // no match goes over a line's end
    if (std::ranges::all_of(sequence, [](const auto& place) { return place.any(); }))
      in_lines.push_back(sequence);
  }
  if (in_lines.empty() || lanes::expected_candidates(in_lines) * kSparse > 1) return;
  sequences_.emplace(target_, in_lines);
  needle_is_all_ = found.exact;
}

void LineMatcher::match(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                        LineContext& context) const {
  if (!finds()) return by_line(text, size, lines, context);
  if (context.blocks_by_line > 0) {
    --context.blocks_by_line;
    return by_line(text, size, lines, context);
  }
  by_candidate(text, size, lines, context);
}

void LineMatcher::by_line(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                          LineContext& context) const {
  std::vector<uint32_t>& offsets = context.offsets;
  offsets.resize(1 + kLinesAtOnce + 64);
  context.hits.resize(bits::words(offsets.size()));
  for (size_t at = 0; at < size; at = offsets[0]) {
    offsets[0] = static_cast<uint32_t>(at);
    const size_t rows = lanes::find_line_ends(target_, text, at, size, offsets.data() + 1, kLinesAtOnce);
    matcher_.match(StringRows(text, offsets.data(), rows, 1), nullptr, context.hits.data(), context.match);
    each_hit(context.hits, rows, [&](size_t row) { lines.push_back({offsets[row], offsets[row + 1]}); });
    offsets[0] = offsets[rows];
  }
}

void LineMatcher::by_candidate(const uint8_t* text, size_t size, std::vector<lanes::Line>& lines,
                               LineContext& context) const {
  std::vector<lanes::Line>& candidates = needle_is_all_ ? lines : context.candidates;
  if (!needle_is_all_) candidates.clear();
  const size_t before = candidates.size();
  if (finder_) {
    finder_->match_lines(text, size, candidates);
  } else {
    sequences_->match_lines(text, size, candidates);
  }
  if ((candidates.size() - before) * kSparse > size) context.blocks_by_line = kPatience;
  if (needle_is_all_ || candidates.empty()) return;
  std::vector<uint32_t>& offsets = context.offsets;
  offsets.assign(1, 0);
  for (const lanes::Line& line : candidates) offsets.push_back(offsets.back() + line.end - line.begin);
  context.gathered.resize(offsets.back() + size_t{64});
  context.hits.resize(bits::words(candidates.size()));
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto [begin, end] = candidates[i];
    std::memcpy(context.gathered.data() + offsets[i], text + begin, end - begin);
  }
  matcher_.match(StringRows(context.gathered.data(), offsets.data(), candidates.size(), 1), nullptr,
                 context.hits.data(), context.match);
  each_hit(context.hits, candidates.size(), [&](size_t row) { lines.push_back(candidates[row]); });
}

std::string LineMatcher::describe() const {
  std::string how;
  if (finds()) {
    how = finder_ ? "'" + needle_ + "'" : "sequences of bytes";
    how += " searched in all lines at once on " + std::string(lanes::name(target_));
    if (needle_is_all_) return how;
    how += ", then ";
  }
  return how + std::string(matcher_.form()) + ": " + matcher_.why();
}

}  // namespace lanewise::text
