#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "text/string_rows.h"

namespace lanewise::text::testing {

/// Strings laid out as a column, with both widths of offsets, or as lines. `before` bytes of rubbish stand
/// before the first row, as in a slice, and the padding behind the last row holds rubbish too.
class TextColumn {
 public:
  explicit TextColumn(const std::vector<std::string>& texts, size_t before = 0) : texts_(texts) {
    bytes_.assign(before, 'x');
    lines_.assign(before, 'x');
    narrow_.push_back(static_cast<uint32_t>(before));
    line_offsets_ = narrow_;
    for (const std::string& text : texts) {
      bytes_.insert(bytes_.end(), text.begin(), text.end());
      narrow_.push_back(static_cast<uint32_t>(bytes_.size()));
      lines_.insert(lines_.end(), text.begin(), text.end());
      lines_.push_back('\n');
      line_offsets_.push_back(static_cast<uint32_t>(lines_.size()));
    }
    wide_.assign(narrow_.begin(), narrow_.end());
    for (int i = 0; i < 64; ++i) {
      bytes_.push_back(static_cast<uint8_t>("ab01"[i % 4]));
      lines_.push_back(static_cast<uint8_t>("ab01"[i % 4]));
    }
  }

  StringRows narrow() const { return {bytes_.data(), narrow_.data(), texts_.size()}; }
  /// Each row is followed by a line's end that belongs to none.
  StringRows lines() const { return {lines_.data(), line_offsets_.data(), texts_.size(), 1}; }
  StringRows wide() const { return {bytes_.data(), wide_.data(), texts_.size()}; }
  const std::vector<std::string>& texts() const { return texts_; }
  size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  std::vector<uint8_t> bytes_, lines_;
  std::vector<uint32_t> narrow_, line_offsets_;
  std::vector<uint64_t> wide_;
};

/// All strings of up to `length` letters, the empty one first.
inline std::vector<std::string> all_texts(const std::vector<std::string>& letters, int length) {
  std::vector<std::string> all{""};
  for (size_t first = 0; length > 0; --length) {
    const size_t end = all.size();
    for (; first < end; ++first) {
      for (const std::string& letter : letters) all.push_back(all[first] + letter);
    }
  }
  return all;
}

}  // namespace lanewise::text::testing
