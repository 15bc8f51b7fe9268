#include "study/data/text_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace lanewise::cli::bench {

namespace {

constexpr size_t kPadding = 64;
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz/.-_=+";  // 32
constexpr std::string_view kMixed = "abcdefghij0123456789klmnopqrstuv";    // 32

constexpr uint64_t kShortest = 8, kLongest = 1024;  // by Zipf's law

/// Draws the lengths of rows, one after the other.
class LengthDraw {
 public:
  explicit LengthDraw(const Lengths& lengths) : lengths_(lengths) {
    double sum = 0;
    for (uint64_t rank = 1; lengths.kind == Lengths::zipf && rank <= kLongest - kShortest + 1; ++rank) {
      cumulative_.push_back(sum += std::pow(static_cast<double>(rank), -lengths.exponent));
    }
  }
  uint64_t next(Random& random) const {
    switch (lengths_.kind) {
      case Lengths::constant:
        return lengths_.bytes;
      case Lengths::uniform:
        return 8 + random.below(113);
      case Lengths::skewed:
        return random.below(64) == 0 ? 512 + random.below(1024) : 8 + random.below(33);
      case Lengths::zipf:
        break;
    }
    const auto at = std::ranges::upper_bound(cumulative_, random.unit() * cumulative_.back());
    return kShortest + static_cast<uint64_t>(at - cumulative_.begin());
  }

 private:
  const Lengths& lengths_;
  std::vector<double> cumulative_;
};

/// A matching row is long enough: for equality it has the length of the constant.
uint64_t draw_match_length(RowTest test, const LengthDraw& lengths, size_t needle, Random& random) {
  if (test == RowTest::equality) return needle;
  for (;;) {
    const uint64_t length = lengths.next(random);
    if (length >= needle) return length;
  }
}

/// Digits are at even positions only, so three neighbours are never digits.
void fill(uint8_t* at, uint64_t length, Random& random) {
  uint64_t bits = 0;
  for (uint64_t i = 0; i < length; ++i, bits >>= 5) {
    if (i % 12 == 0) bits = random.next();
    at[i] = static_cast<uint8_t>(i % 2 == 0 ? kMixed[bits % 32] : kLetters[bits % 32]);
  }
}

}  // namespace

Lengths Lengths::parse(const std::string& text) {
  if (text == "constant") return {constant, 64};
  if (text == "uniform") return {uniform, 0};
  if (text == "skewed") return {skewed, 0};
  if (text.starts_with("zipf:")) {
    const double exponent = std::strtod(text.c_str() + 5, nullptr);
    if (exponent >= 0 && exponent <= 4) return {zipf, 0, exponent};
  }
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size() || bytes < 4 || bytes > 1 << 20) {
    throw std::invalid_argument(
        "bad row length '" + text +
        "': expected constant, uniform, skewed, zipf:0 to zipf:4, or a number of bytes "
        "from 4 to 1048576");
  }
  return {constant, bytes};
}

std::string needle_of(const TextShape& shape) {
  if (shape.test == RowTest::regex) return "[0-9]{3}[a-f]";
  // Short enough for rows to reach its end, and for an automaton in registers.
  const bool short_rows = shape.lengths.kind == Lengths::skewed || shape.lengths.kind == Lengths::zipf;
  uint64_t length = short_rows ? 24 : 32;
  if (shape.lengths.kind == Lengths::constant) {
    length = shape.test == RowTest::equality ? shape.lengths.bytes : std::min(length, shape.lengths.bytes);
  }
  Random random(shape.seed + 1);
  std::string needle(length, 'a');
  for (char& letter : needle) letter = random.below(2) == 0 ? 'a' : 'b';
  return needle;
}

TextRows make_text_rows(const TextShape& shape, const Checkpoint& checkpoint) {
  const std::string needle = shape.test == RowTest::regex ? "042a" : needle_of(shape);
  Random random(shape.seed);
  const LengthDraw lengths(shape.lengths);
  TextRows text;
  text.matches = static_cast<uint64_t>(std::llround(static_cast<double>(shape.rows) * shape.match / 100));

  std::vector<bool> matching(shape.rows);
  ExactShare share(text.matches, shape.rows);
  text.offsets.resize(shape.rows + 1);
  uint64_t size = 0;
  for (uint64_t row = 0; row < shape.rows; ++row) {
    matching[row] = share.next(random);
    size +=
        matching[row] ? draw_match_length(shape.test, lengths, needle.size(), random) : lengths.next(random);
    if (size > UINT32_MAX)
      throw std::length_error("these rows would take more than 4 GiB; give fewer --rows");
    text.offsets[row + 1] = static_cast<uint32_t>(size);
  }

  text.bytes.resize(size + kPadding);
  for (uint64_t row = 0; row < shape.rows; ++row) {
    if (row % 4096 == 0) checkpoint();
    uint8_t* const at = &text.bytes[text.offsets[row]];
    const uint64_t length = text.offsets[row + 1] - text.offsets[row];
    fill(at, length, random);
    if (shape.test == RowTest::regex) {
      if (matching[row]) std::ranges::copy(needle, at + random.below(length - needle.size() + 1));
      continue;
    }
    const uint64_t common = std::min<uint64_t>(needle.size(), length);
    if (matching[row]) {
      std::ranges::copy(needle, at);
      continue;
    }
    const uint64_t differs =
        shape.mismatch < 0 ? random.below(common) : std::min<uint64_t>(shape.mismatch, common - 1);
    std::copy_n(needle.begin(), differs, at);
    at[differs] = needle[differs] == 'a' ? 'b' : 'a';
  }
  return text;
}

}  // namespace lanewise::cli::bench
