#include "expr/casts/parse.h"

namespace lanewise::expr {

namespace {

std::string_view view(kernel::Text text) { return {reinterpret_cast<const char*>(text.at), text.size}; }

}  // namespace

ParseError parse_date(std::string_view text, int32_t& days, std::string_view& rest) {
  kernel::Text left{};
  const ParseError error = kernel::parse_date(kernel_text(text), days, left);
  if (error == ParseError::kNone) rest = view(left);
  return error;
}

bool parse_clock(std::string_view text, int64_t& micros, int32_t& nanos, std::string_view& rest) {
  kernel::Text left{};
  kernel::i64 time;
  if (!kernel::parse_clock(kernel_text(text), time, nanos, left)) return false;
  micros = time;
  rest = view(left);
  return true;
}

std::optional<int64_t> parse_time(std::string_view text) {
  kernel::i64 micros;
  if (!kernel::parse_time(kernel_text(text), micros)) return std::nullopt;
  return micros;
}

std::optional<int64_t> parse_time_ns(std::string_view text) {
  kernel::i64 micros;
  int32_t nanos;
  if (!kernel::parse_time(kernel_text(text), micros, nanos)) return std::nullopt;
  return micros * 1'000 + nanos;
}

ParseError parse_timestamp(std::string_view text, bool use_offset, int64_t& micros, int32_t& nanos) {
  kernel::i64 time;
  const ParseError error = kernel::parse_timestamp(kernel_text(text), use_offset, time, nanos);
  if (error == ParseError::kNone) micros = time;
  return error;
}

}  // namespace lanewise::expr
