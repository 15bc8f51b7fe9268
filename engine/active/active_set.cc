#include "active/active_set.h"

#include <algorithm>

namespace lanewise {

namespace {
/// Below this fraction of active rows, a list is walked faster than a bitmap.
constexpr double kListDensity = 0.25;
}  // namespace

const uint64_t* ActiveSet::bitmap() const {
  if (bitmap_ == nullptr) {
    auto* words = arena_->allocate<uint64_t>(bits::words(rows_) + 1);
    bits::fill(words, rows_);
    bitmap_ = words;
  }
  return bitmap_;
}

std::span<const uint32_t> ActiveSet::list() const {
  if (list_ == nullptr) {
    auto* rows = arena_->allocate<uint32_t>(count_);
    uint32_t* next = rows;
    if (all()) {
      for (uint32_t row = 0; row < rows_; ++row) *next++ = row;
    } else {
      bits::for_each(bitmap(), rows_, [&](size_t row) { *next++ = static_cast<uint32_t>(row); });
    }
    list_ = rows;
  }
  return {list_, count_};
}

ActiveSet::Form ActiveSet::form() const {
  if (all()) return Form::kAll;
  return density() < kListDensity ? Form::kList : Form::kBitmap;
}

void ActiveSet::narrow(const uint64_t* keep) { *this = narrowed(keep); }

void ActiveSet::remove(const uint64_t* drop) {
  auto* words = arena_->allocate<uint64_t>(bits::words(rows_) + 1);
  const uint64_t* now = bitmap();
  for (size_t word = 0; word < bits::words(rows_); ++word) words[word] = now[word] & ~drop[word];
  narrow(words);
}

ActiveSet ActiveSet::narrowed(const uint64_t* keep) const {
  ActiveSet result(rows_, *arena_);
  auto* words = arena_->allocate<uint64_t>(bits::words(rows_) + 1);
  const uint64_t* now = bitmap();
  uint32_t count = 0;
  for (size_t word = 0; word < bits::words(rows_); ++word) {
    words[word] = now[word] & keep[word];
    count += static_cast<uint32_t>(std::popcount(words[word]));
  }
  result.bitmap_ = words;
  result.count_ = count;
  return result;
}

void ActiveSet::truncate(uint32_t count) {
  if (count >= count_) return;
  auto* words = arena_->allocate<uint64_t>(bits::words(rows_) + 1);
  std::fill_n(words, bits::words(rows_), 0);
  for (uint32_t row : list().first(count)) bits::set(words, row);
  narrow(words);
}

}  // namespace lanewise
