#include "pram/inputs/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/real.h"
#include "pram/machine/operators.h"

namespace lanewise::pram {

namespace {

std::optional<double> read_real(std::string_view word) {
  const bool negative = word.starts_with('-');
  std::string_view digits = word;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits == "infinity" || digits == "inf") return negative ? -HUGE_VAL : HUGE_VAL;
  if (digits.starts_with('-') || digits.starts_with('+')) return std::nullopt;
  const std::string padded = digits.starts_with('.') ? "0" + std::string(digits) : std::string(digits);
  double value = 0;
  const auto read = real_from_chars(padded.data(), padded.data() + padded.size(), value);
  if (read.ec != std::errc() || read.ptr != padded.data() + padded.size()) return std::nullopt;
  return negative ? -value : value;
}

std::optional<Word> read_word(std::string_view word, Type type) {
  if (type == Type::kBool) {
    if (word == "true" || word == "1") return 1;
    if (word == "false" || word == "0") return 0;
    return std::nullopt;
  }
  if (type == Type::kReal) {
    const std::optional<double> value = read_real(word);
    if (!value) return std::nullopt;
    return word_of(*value);
  }
  if (word.starts_with('+')) word.remove_prefix(1);
  Word value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  if (type == Type::kInt32 && operators::fit_int32(value)) return std::nullopt;
  return value;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

}  // namespace

Array read_numbers(std::string_view text, Type type, size_t dimensions, const std::string& source) {
  Array array{type, {}, {}};
  int64_t columns = -1;
  int64_t rows = 0;
  size_t line = 1;
  size_t row_begin = 0;
  const auto end_row = [&] {
    const auto length = static_cast<int64_t>(array.words.size() - row_begin);
    row_begin = array.words.size();
    if (dimensions != 2 || length == 0) return;
    if (columns >= 0 && length != columns) {
      throw UserError(
          fmt::format("{}:{}: a row of {} numbers after rows of {}", source, line, length, columns));
    }
    columns = length;
    ++rows;
  };
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n' || text[at] == ';') {
      end_row();
      line += text[at++] == '\n' ? 1 : 0;
    } else if (is_space(text[at])) {
      ++at;
    } else {
      size_t end = at;
      while (end < text.size() && !is_space(text[end]) && text[end] != '\n' && text[end] != ';') ++end;
      const std::string_view word = text.substr(at, end - at);
      const std::optional<Word> value = read_word(word, type);
      if (!value)
        throw UserError(
            fmt::format("{}:{}: expected {}, found '{}'", source, line, name(type), word.substr(0, 40)));
      array.words.push_back(*value);
      at = end;
    }
  }
  end_row();
  const auto count = static_cast<int64_t>(array.words.size());
  if (dimensions == 0 && count != 1) {
    throw UserError(fmt::format("{}: expected one number, found {}", source, count));
  }
  if (dimensions == 1) array.extents = {count};
  if (dimensions == 2) array.extents = {rows, std::max<int64_t>(columns, 0)};
  return array;
}

std::string write_numbers(const Array& array) {
  const size_t columns =
      array.extents.size() == 2 ? static_cast<size_t>(array.extents[1]) : array.words.size();
  std::string text;
  for (size_t i = 0; i < array.words.size(); ++i) {
    if (i != 0) text += columns != 0 && i % columns == 0 ? '\n' : ' ';
    text += to_text(array.type, array.words[i]);
  }
  return text;
}

}  // namespace lanewise::pram
