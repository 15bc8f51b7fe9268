#include "bench/text_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "bench/random.h"

namespace lanewise::cli::bench {

namespace {

constexpr size_t kPadding = 64;
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz/.-_=+";  // 32
constexpr std::string_view kMixed = "abcdefghij0123456789klmnopqrstuv";    // 32

uint64_t draw_length(const Lengths& lengths, Random& random) {
  if (lengths.kind == Lengths::constant) return lengths.bytes;
  if (lengths.kind == Lengths::uniform) return 8 + random.below(113);
  return random.below(64) == 0 ? 512 + random.below(1024) : 8 + random.below(33);
}

/// A row that matches is long enough: for equality it has the constant's length.
uint64_t draw_match_length(const TextShape& shape, size_t needle, Random& random) {
  if (shape.test == RowTest::equality) return needle;
  for (;;) {
    const uint64_t length = draw_length(shape.lengths, random);
    if (length >= needle) return length;
  }
}

/// Digits stand at even places alone: three neighbours are never digits.
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
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size() || bytes < 4 || bytes > 1 << 20) {
    throw UserError(fmt::format(
        "bad row length '{}': expected constant, uniform, skewed or a number of bytes from 4 to 1048576",
        text));
  }
  return {constant, bytes};
}

std::string needle_of(const TextShape& shape) {
  if (shape.test == RowTest::regex) return "[0-9]{3}[a-f]";
  // Short enough for rows to reach its end, and for registers to hold the automaton where they can.
  const bool short_rows = shape.lengths.kind == Lengths::skewed;
  uint64_t length = short_rows ? 24 : 32;
  if (shape.lengths.kind == Lengths::constant) {
    length = shape.test == RowTest::equality ? shape.lengths.bytes : std::min(length, shape.lengths.bytes);
  }
  Random random(shape.seed + 1);
  std::string needle(length, 'a');
  for (char& letter : needle) letter = random.below(2) == 0 ? 'a' : 'b';
  return needle;
}

text::Pattern pattern_of(const TextShape& shape) {
  text::RegexOptions options;
  options.full_match = shape.test == RowTest::equality;
  const std::string needle = needle_of(shape);
  return text::compile_regex(shape.test == RowTest::prefix ? "^" + needle : needle, options);
}

TextRows make_text_rows(const TextShape& shape, const Cancellation& cancellation) {
  const std::string needle = shape.test == RowTest::regex ? "042a" : needle_of(shape);
  Random random(shape.seed);
  TextRows text;
  text.pattern = pattern_of(shape).source();
  text.matches = static_cast<uint64_t>(std::llround(static_cast<double>(shape.rows) * shape.match / 100));

  std::vector<bool> matching(shape.rows);
  ExactShare share(text.matches, shape.rows);
  text.offsets.resize(shape.rows + 1);
  uint64_t size = 0;
  for (uint64_t row = 0; row < shape.rows; ++row) {
    matching[row] = share.next(random);
    size +=
        matching[row] ? draw_match_length(shape, needle.size(), random) : draw_length(shape.lengths, random);
    if (size > UINT32_MAX) throw UserError("these rows would take more than 4 GiB; give fewer --rows");
    text.offsets[row + 1] = static_cast<uint32_t>(size);
  }

  text.bytes.resize(size + kPadding);
  for (uint64_t row = 0; row < shape.rows; ++row) {
    if (row % 4096 == 0) cancellation.check();
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
