#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lanes/string_rows.h"
#include "lanes/testing/guarded.h"

namespace lanewise::text::testing {

/// Strings as a column, with both widths of offsets, or as lines. `before` garbage bytes
/// precede the first row, as in a slice, and the padding after the last row is garbage too. After the
/// padding, and after the offsets, nothing may be read.
class TextColumn {
 public:
  explicit TextColumn(const std::vector<std::string>& texts, size_t before = 0)
      : TextColumn(texts, joined(texts, before, ""), joined(texts, before, "\n"), before) {}

  lanes::StringRows narrow() const { return {bytes_.data(), narrow_.data(), texts_.size()}; }
  /// Each row is followed by a line end that belongs to no row.
  lanes::StringRows lines() const { return {lines_.data(), line_offsets_.data(), texts_.size(), 1}; }
  lanes::StringRows wide() const { return {bytes_.data(), wide_.data(), texts_.size()}; }
  const std::vector<std::string>& texts() const { return texts_; }
  size_t size() const { return texts_.size(); }

 private:
  TextColumn(const std::vector<std::string>& texts, const std::string& bytes, const std::string& lines,
             size_t before)
      : texts_(texts),
        bytes_(lanes::Guarded<uint8_t>::copy_of(bytes)),
        lines_(lanes::Guarded<uint8_t>::copy_of(lines)),
        narrow_(texts.size() + 1),
        line_offsets_(texts.size() + 1),
        wide_(texts.size() + 1) {
    size_t at = before;
    for (size_t i = 0; i <= texts.size(); ++i) {
      wide_[i] = narrow_[i] = static_cast<uint32_t>(at);
      line_offsets_[i] = static_cast<uint32_t>(at + i);
      if (i < texts.size()) at += texts[i].size();
    }
  }

  static std::string joined(const std::vector<std::string>& texts, size_t before, const char* behind_each) {
    std::string all(before, 'x');
    for (const std::string& text : texts) all.append(text).append(behind_each);
    for (int i = 0; i < 16; ++i) all += "ab01";
    return all;
  }

  std::vector<std::string> texts_;
  lanes::Guarded<uint8_t> bytes_, lines_;
  lanes::Guarded<uint32_t> narrow_, line_offsets_;
  lanes::Guarded<uint64_t> wide_;
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
