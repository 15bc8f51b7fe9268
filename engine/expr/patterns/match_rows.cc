#include "expr/patterns/match_rows.h"

#include <algorithm>
#include <cstring>

#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

/// Longer strings are matched where they are.
constexpr size_t kLongText = size_t{16} << 10;
/// Bytes gathered before they are matched, or as many as the rows may have.
constexpr size_t kGathered = size_t{256} << 10;

/// Strings side by side, with the rows that they came from.
class Gatherer {
 public:
  Gatherer(const text::Matcher& matcher, text::MatchContext& context, uint32_t rows, uint64_t* hits,
           Arena& arena)
      : matcher_(matcher),
        context_(context),
        hits_(hits),
        room_(std::min(kGathered, rows * kLongText)),
        bytes_(arena.allocate<uint8_t>(room_)),
        offsets_(arena.allocate<uint32_t>(rows + 1)),
        rows_(arena.allocate<uint32_t>(rows)),
        found_(arena.allocate<uint64_t>(bits::words(rows) + 1)) {
    offsets_[0] = 0;
  }

  void add(uint32_t row, std::string_view text) {
    if (text.size() > kLongText) {
      if (matcher_.match(text, context_)) bits::set(hits_, row);
      return;
    }
    if (offsets_[count_] + text.size() > room_) flush();
    const uint32_t at = offsets_[count_];
    if (!text.empty()) std::memcpy(bytes_ + at, text.data(), text.size());
    rows_[count_++] = row;
    offsets_[count_] = at + static_cast<uint32_t>(text.size());
  }
  void flush() {
    matcher_.match(lanes::StringRows(bytes_, offsets_, count_), nullptr, found_, context_);
    bits::for_each(found_, count_, [&](size_t i) { bits::set(hits_, rows_[i]); });
    count_ = 0;
  }

 private:
  const text::Matcher& matcher_;
  text::MatchContext& context_;
  uint64_t* hits_;
  size_t room_;
  uint8_t* bytes_;
  uint32_t* offsets_;
  uint32_t* rows_;
  uint64_t* found_;
  size_t count_ = 0;
};

/// Each entry once, and the answer for the rows that hold it.
void match_dictionary(const text::Matcher& matcher, const Vector& texts, const ActiveSet& rows,
                      uint64_t* hits, text::MatchContext& context) {
  const auto count = static_cast<uint32_t>(texts.dictionary->rows);
  const Vector entries = slice(*texts.dictionary, 0, count, rows.arena());
  const uint64_t* found = match_rows(matcher, entries, ActiveSet(count, rows.arena()), context);
  const auto* codes = texts.as<uint32_t>();
  rows.for_each([&](uint32_t row) {
    if (bits::test(found, codes[row])) bits::set(hits, row);
  });
}

}  // namespace

lanes::StringRows string_rows(const Vector& texts, uint32_t rows) {
  return texts.wide_offsets ? lanes::StringRows(texts.bytes, texts.as<uint64_t>(), rows)
                            : lanes::StringRows(texts.bytes, texts.as<uint32_t>(), rows);
}

uint64_t* match_rows(const text::Matcher& matcher, const Vector& texts, const ActiveSet& rows,
                     text::MatchContext& context) {
  const size_t words = bits::words(rows.rows());
  auto* hits = rows.arena().allocate<uint64_t>(words + 1);
  std::fill_n(hits, words + 1, 0);
  if (texts.constant) {
    if (!rows.none() && matcher.match(texts.text(0), context)) std::copy_n(rows.bitmap(), words, hits);
    return hits;
  }
  if (texts.form == Vector::Form::kText) {
    matcher.match(string_rows(texts, rows.rows()), rows.all() ? nullptr : rows.bitmap(), hits, context);
    return hits;
  }
  if (texts.form == Vector::Form::kDictionary && texts.dictionary->rows <= rows.count()) {
    match_dictionary(matcher, texts, rows, hits, context);
    return hits;
  }
  const Texts views(texts, rows);
  Gatherer gatherer(matcher, context, rows.count(), hits, rows.arena());
  rows.for_each([&](uint32_t row) { gatherer.add(row, views[row]); });
  gatherer.flush();
  return hits;
}

}  // namespace lanewise::expr
