#include "text/captures/captures.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"
#include "text/captures/engines/backtracker.h"
#include "text/captures/engines/match_starts.h"
#include "text/captures/engines/pike_vm.h"
#include "text/pattern/compiled_pattern.h"

namespace lanewise::text {

struct CaptureContext::Scratch {
  captures::Backtracker backtracker;
  captures::PikeVm pike_vm;
  std::vector<uint64_t> starts;  // of MatchFinder
};

CaptureContext::CaptureContext() : scratch_(std::make_unique<Scratch>()) {}
CaptureContext::~CaptureContext() = default;
CaptureContext::CaptureContext(CaptureContext&&) noexcept = default;
CaptureContext& CaptureContext::operator=(CaptureContext&&) noexcept = default;

namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kLongText = size_t{16} << 10;

/// The first set bit at or after `from`.
size_t next_bit(const std::vector<uint64_t>& bitmap, size_t from) {
  for (size_t word = from / 64; word < bitmap.size(); ++word) {
    const uint64_t rest = bitmap[word] & (word == from / 64 ? ~uint64_t{0} << (from % 64) : ~uint64_t{0});
    if (rest != 0) return word * 64 + std::countr_zero(rest);
  }
  return kNone;
}

}  // namespace

MatchFinder::MatchFinder(const Pattern& pattern, std::string_view text, CaptureContext& context)
    : pattern_(pattern.compiled()), text_(text), scratch_(context.scratch()) {}

/// The first search reads back to `from`; from the second on all positions are known, so that many matches in
/// one text take linear time in total.
size_t MatchFinder::next_start(const captures::MatchStarts& starts, size_t from) {
  if (++searches_ == 1) return starts.first(text_, from);
  if (searches_ == 2) {
    scratch_.starts.assign(bits::words(text_.size() + 1), 0);
    starts.all(text_, scratch_.starts.data());
  }
  return next_bit(scratch_.starts, from);
}

/// A match that starts at `at`, by the cheapest of three methods.
bool MatchFinder::match_at(size_t at, std::span<Capture> groups) {
  if (const captures::OnePass* one_pass = pattern_.one_pass()) return one_pass->match_at(text_, at, groups);
  const automaton::Program& program = pattern_.program();
  return captures::Backtracker::can_take(program, text_.size() - at)
             ? scratch_.backtracker.match_at(program, text_, at, groups)
             : scratch_.pike_vm.match_at(program, text_, at, groups);
}

bool MatchFinder::next_word(size_t from, std::span<Capture> groups) {
  const literals::WordFinder& words = *pattern_.words();
  if (++searches_ == 1) {
    folds_ = words.folds(text_);
    if (folds_) literals::fold_text(text_, folded_, &places_);
  }
  const size_t first =
      folds_ ? static_cast<size_t>(std::ranges::lower_bound(places_, from) - places_.begin()) : from;
  const auto match = words.next_folded(folds_ ? std::string_view(folded_) : text_, first);
  if (!match) return false;
  std::ranges::fill(groups, Capture());
  groups[0] =
      folds_ ? Capture{places_[match->begin], places_[match->end]} : Capture{match->begin, match->end};
  return true;
}

bool MatchFinder::next(size_t from, std::span<Capture> groups) {
  if (from > text_.size()) return false;
  if (pattern_.words() != nullptr && !groups.empty() &&
      (groups.size() == 1 || pattern_.ast.group_names.empty()))
    return next_word(from, groups);
  const captures::StartCondition& start = pattern_.start_condition();
  if (start.only_at_begin) return from == 0 && match_at(0, groups);
  // A single search in a long text goes forward: the match may be near, and the end is far.
  const bool forward = searches_ == 0 && text_.size() - from > kLongText;
  const captures::MatchStarts* starts = forward ? nullptr : pattern_.match_starts();
  if (starts == nullptr) {
    ++searches_;
    const automaton::Program& program = pattern_.program();
    return captures::Backtracker::can_take(program, text_.size() - from)
               ? scratch_.backtracker.find(program, start, text_, from, groups)
               : scratch_.pike_vm.find(program, start, text_, from, groups);
  }
  const size_t at = next_start(*starts, from);
  return at != kNone && match_at(at, groups);
}

bool find_captures(const Pattern& pattern, std::string_view text, size_t from, std::span<Capture> groups,
                   CaptureContext& context) {
  return MatchFinder(pattern, text, context).next(from, groups);
}

}  // namespace lanewise::text
