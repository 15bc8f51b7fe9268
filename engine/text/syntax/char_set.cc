#include "text/syntax/char_set.h"

#include <algorithm>

#include "text/unicode/case.h"
#include "text/unicode/tables.h"

namespace lanewise::text::syntax {

using unicode::kMaxCodePoint;

void CharSet::add(char32_t lo, char32_t hi) {
  if (lo > hi) return;
  normal_ = normal_ && (ranges_.empty() || ranges_.back().hi + 1 < lo);
  ranges_.push_back({lo, hi});
}

void CharSet::add(const CharSet& other) {
  for (const CharRange& r : other.ranges()) add(r.lo, r.hi);
}

void CharSet::add_folded(char32_t lo, char32_t hi) {
  add(lo, hi);
  if (lo == hi) {
    for (char32_t other = unicode::next_fold(lo); other != lo; other = unicode::next_fold(other))
      add(other, other);
    return;
  }
  for (size_t i = 0; i < unicode::kFoldCycleCount; ++i) {
    const unicode::CaseRun& run = unicode::kFoldCycle[i];
    if (run.hi < lo || run.lo > hi) continue;
    for (char32_t c = std::max<char32_t>(lo, run.lo); c <= std::min<char32_t>(hi, run.hi); ++c) {
      for (char32_t variant = unicode::next_fold(c); variant != c; variant = unicode::next_fold(variant)) {
        add(variant, variant);
      }
    }
  }
}

void CharSet::negate() {
  normalise();
  std::vector<CharRange> rest;
  char32_t next = 0;
  for (const CharRange& r : ranges_) {
    if (next < r.lo) rest.push_back({next, r.lo - 1});
    next = r.hi + 1;
  }
  if (next <= kMaxCodePoint) rest.push_back({next, kMaxCodePoint});
  ranges_ = std::move(rest);
}

void CharSet::intersect(const CharSet& other) {
  CharSet rest = other;
  negate();
  rest.negate();
  add(rest);
  negate();
}

const std::vector<CharRange>& CharSet::ranges() const {
  normalise();
  return ranges_;
}

bool CharSet::contains(char32_t c) const {
  normalise();
  auto it =
      std::partition_point(ranges_.begin(), ranges_.end(), [c](const CharRange& r) { return r.hi < c; });
  return it != ranges_.end() && it->lo <= c;
}

void CharSet::normalise() const {
  if (normal_) return;
  normal_ = true;
  std::sort(ranges_.begin(), ranges_.end(),
            [](const CharRange& a, const CharRange& b) { return a.lo < b.lo; });
  size_t kept = 0;
  for (const CharRange& r : ranges_) {
    if (kept > 0 && r.lo <= ranges_[kept - 1].hi + 1) {
      ranges_[kept - 1].hi = std::max(ranges_[kept - 1].hi, r.hi);
    } else {
      ranges_[kept++] = r;
    }
  }
  ranges_.resize(kept);
}

namespace {

/// Adds the runs whose name `wanted` accepts; true if any name was accepted.
template <class Wanted>
bool add_runs(const uint32_t* runs, size_t count, const char* const* names, Wanted wanted, CharSet& out) {
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    if (!wanted(std::string_view(names[runs[i] & 0xFF]))) continue;
    const char32_t end = i + 1 < count ? runs[i + 1] >> 8 : kMaxCodePoint + 1;
    out.add(runs[i] >> 8, end - 1);
    any = true;
  }
  return any;
}

}  // namespace

bool find_unicode_class(std::string_view name, CharSet& out) {
  out = CharSet();
  if (name == "Any") {
    out.add(0, kMaxCodePoint);
    return true;
  }
  auto is_category = [name](std::string_view category) {
    return category != "Cn" && (category == name || (name.size() == 1 && category[0] == name[0]));
  };
  auto is_script = [name](std::string_view script) { return script == name && script != "Unknown"; };
  return add_runs(unicode::kCategoryRuns, unicode::kCategoryRunsCount, unicode::kCategoryNames, is_category,
                  out) ||
         add_runs(unicode::kScriptRuns, unicode::kScriptRunsCount, unicode::kScriptNames, is_script, out);
}

const CharSet& unicode_words() {
  static const CharSet kWords = [] {
    CharSet all;
    for (const char* name : {"L", "M", "Nl", "Nd", "Pc"}) {
      CharSet one;
      find_unicode_class(name, one);
      all.add(one);
    }
    for (const char32_t letters : {0x24B6, 0x1F130, 0x1F150, 0x1F170}) {  // in circles and squares
      all.add(letters, letters + (letters == 0x24B6 ? 51 : 25));
    }
    all.add(0x200C, 0x200D);
    all.ranges();
    return all;
  }();
  return kWords;
}

const CharSet& unicode_digits() {
  static const CharSet kDigits = [] {
    CharSet digits;
    find_unicode_class("Nd", digits);
    return digits;
  }();
  return kDigits;
}

const CharSet& unicode_spaces() {
  static const CharSet kSpaces = [] {
    CharSet spaces('\t', '\r');
    for (const char32_t c : {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000})
      spaces.add(c, c);
    spaces.add(0x2000, 0x200A);
    spaces.ranges();
    return spaces;
  }();
  return kSpaces;
}

bool is_word_character(char32_t c) { return unicode_words().contains(c); }

}  // namespace lanewise::text::syntax
