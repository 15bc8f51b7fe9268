#pragma once

// The data and automata of the first measurements of lane concepts; for benchmarks only.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanes/automata/automaton.h"
#include "lanes/lane.h"

namespace lanewise::lanes::gate {

inline u64 mix(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

enum class Lengths { constant, uniform, skewed };
inline constexpr const char* kLengthNames[] = {"constant", "uniform", "skewed"};

/// 64 bytes; 8 to 120; one row in 64 of 512 to 1535, the others 8 to 40.
inline u32 row_length(u64 row, Lengths lengths) {
  const u64 h = mix(row * 7 + 1);
  if (lengths == Lengths::constant) return 64;
  if (lengths == Lengths::uniform) return 8 + h % 113;
  return (h & 63) == 0 ? 512 + (h >> 6) % 1024 : 8 + (h >> 6) % 33;
}

/// Random rows over 40 characters; one in ten contains "google.de/42".
struct Text {
  std::vector<u32> offsets;
  std::vector<u8> bytes;

  Text(u64 rows, Lengths lengths) : offsets(rows + 1) {
    for (u64 i = 0; i < rows; i++) offsets[i + 1] = offsets[i] + row_length(i, lengths);
    bytes.resize(offsets[rows] + 64);
    for (u64 i = 0; i < rows; i++) fill(i, &bytes[offsets[i]], offsets[i + 1] - offsets[i]);
  }
  u64 rows() const { return offsets.size() - 1; }
  u64 size() const { return offsets.back(); }

 private:
  static void fill(u64 row, u8* at, u32 length) {
    const char* alphabet = "abcdefghijklmnopqrstuvwxyz/.-_0123456789";
    u64 random = 0;
    for (u32 k = 0; k < length; k++) {
      if (k % 8 == 0) random = mix(row * 31 + k + random);
      at[k] = u8(alphabet[(random >> k % 8 * 8) % 40]);
    }
    const u64 h = mix(row + 77);
    if (h % 10 == 0 && length >= 16) std::copy_n("google.de/42", 12, at + (h >> 8) % (length - 12));
  }
};

using ByteSet = std::set<u8>;

/// The bytes named by "a-z0-9": ranges and single characters.
inline ByteSet byte_set(std::string_view text) {
  ByteSet bytes;
  for (size_t i = 0; i < text.size(); i++) {
    const bool range = i + 2 < text.size() && text[i + 1] == '-';
    for (u32 c = u8(text[i]); c <= u8(text[range ? i + 2 : i]); c++) bytes.insert(u8(c));
    if (range) i += 2;
  }
  return bytes;
}

/// Finds one of several sequences of byte sets anywhere in a row, by subset construction.
class Search {
 public:
  explicit Search(const std::vector<std::vector<ByteSet>>& sequences) {
    using Positions = std::set<std::pair<u32, u32>>;  // (sequence, number of its bytes matched)
    std::map<Positions, u32> id{{{}, 0}};
    std::vector<Positions> states{{}};
    std::vector<std::vector<int>> next;  // -1: match
    for (size_t s = 0; s < states.size(); s++) {
      next.emplace_back(256);
      for (u32 c = 0; c < 256; c++) {
        Positions to;
        bool match = false;
        const auto step = [&](u32 sequence, u32 seen) {
          if (!sequences[sequence][seen].contains(u8(c))) return;
          seen + 1 == sequences[sequence].size() ? void(match = true) : void(to.insert({sequence, seen + 1}));
        };
        for (u32 k = 0; k < sequences.size(); k++) step(k, 0);
        for (const auto& [sequence, seen] : Positions(states[s])) step(sequence, seen);
        if (!match && id.emplace(to, u32(states.size())).second) states.push_back(to);
        next[s][c] = match ? -1 : int(id[to]);
      }
    }
    const u32 match = u32(states.size());
    states_ = match + 1;
    next.emplace_back(256, int(match));
    std::map<std::vector<int>, u8> classes;
    for (u32 c = 0; c < 256; c++) {
      std::vector<int> column;
      for (const auto& row : next) column.push_back(row[c] < 0 ? int(match) : row[c]);
      class_of_[c] = classes.emplace(column, u8(classes.size())).first->second;
    }
    next_.resize((match + 1) * classes.size());
    for (const auto& [column, c] : classes) {
      for (u32 s = 0; s <= match; s++) next_[s * classes.size() + c] = u16(column[s]);
    }
  }
  /// The start is state 0; the last state absorbs and matches; there is no dead state.
  AutomatonView view() const {
    return {class_of_, next_.data(), states_,     u32(next_.size() / states_),
            0,         states_,      states_ - 1, states_ - 1};
  }

 private:
  u8 class_of_[256];
  std::vector<u16> next_;
  u32 states_;
};

/// Any of several words.
inline std::vector<std::vector<ByteSet>> words(const std::vector<std::string>& texts) {
  std::vector<std::vector<ByteSet>> sequences;
  for (const std::string& text : texts) {
    auto& sequence = sequences.emplace_back();
    for (char c : text) sequence.push_back({u8(c)});
  }
  return sequences;
}

}  // namespace lanewise::lanes::gate
