#include <algorithm>
#include <cstring>

#include "expr/strings/characters.h"
#include "expr/strings/functions.h"
#include "expr/strings/reference.h"
#include "expr/strings/signature.h"
#include "expr/strings/texts.h"

namespace lanewise::expr {

namespace {

/// Writes `text` over and over until `bytes` bytes are full, each time with what is there already.
void fill(char* to, size_t bytes, std::string_view text) {
  size_t done = std::min(bytes, text.size());
  if (done == 0) return;
  if (text.size() == 1) {
    std::memset(to, text[0], bytes);
    return;
  }
  std::memcpy(to, text.data(), done);
  while (done < bytes) {
    const size_t more = std::min(done, bytes - done);
    std::memcpy(to + done, to, more);
    done += more;
  }
}

Vector repeat(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Texts texts(args[0], rows);
  const Integers counts(args[1], rows);
  TextWriter writer("repeat", context);
  return map_rows(expr.type, rows, [&](uint32_t row) {
    const std::string_view text = texts[row];
    uint64_t bytes;
    if (__builtin_mul_overflow(text.size(), std::max<int64_t>(counts[row], 0), &bytes)) bytes = UINT64_MAX;
    fill(writer.reserve(bytes), bytes, text);
    return writer.take(bytes);
  });
}

Value repeat_reference(const Expr& expr, std::span<const Value> args) {
  std::string result;
  for (int128_t i = 0; i < args[1].integer() && !args[0].text().empty(); ++i) {
    result += args[0].text();
    check_length("repeat", result.size());
  }
  return {expr.type, result};
}

enum class PadSide { kLeft, kRight };
constexpr const char* kPadNames[] = {"lpad", "rpad"};

[[noreturn]] void throw_no_padding(PadSide side) {
  throw UserError(std::string(kPadNames[static_cast<int>(side)]) + ": there is nothing to pad with");
}

template <PadSide kSide>
std::string_view padded(std::string_view text, int64_t length, std::string_view pad, TextWriter& writer) {
  const size_t wanted = static_cast<size_t>(std::max<int64_t>(length, 0));
  const std::string_view kept = text.substr(0, skip_characters(text, wanted));
  const size_t missing = wanted - std::min(wanted, count_characters(kept));
  if (missing == 0) return kept;
  const size_t characters = count_characters(pad);
  if (characters == 0) throw_no_padding(kSide);
  const uint64_t filled = missing / characters * pad.size() + skip_characters(pad, missing % characters);
  char* to = writer.reserve(filled + kept.size());
  fill(kSide == PadSide::kLeft ? to : to + kept.size(), filled, pad);
  if (!kept.empty()) std::memcpy(kSide == PadSide::kLeft ? to + filled : to, kept.data(), kept.size());
  return writer.take(filled + kept.size());
}

template <PadSide kSide>
Vector pad(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Texts texts(args[0], rows);
  const Integers lengths(args[1], rows);
  const Texts pads(args[2], rows);
  TextWriter writer(kPadNames[static_cast<int>(kSide)], context);
  return map_rows(expr.type, rows,
                  [&](uint32_t row) { return padded<kSide>(texts[row], lengths[row], pads[row], writer); });
}

template <PadSide kSide>
Value pad_reference(const Expr&, std::span<const Value> args) {
  const std::vector<std::string> text = characters_of(args[0].text());
  const std::vector<std::string> pad = characters_of(args[2].text());
  const std::string kept = join(text, 0, args[1].integer());
  std::string filled;
  for (int128_t i = 0; i < args[1].integer() - static_cast<int128_t>(text.size()); ++i) {
    if (pad.empty()) throw_no_padding(kSide);
    filled += pad[static_cast<size_t>(i) % pad.size()];
    check_length(kPadNames[static_cast<int>(kSide)], filled.size());
  }
  return Value::varchar(kSide == PadSide::kLeft ? filled + kept : kept + filled);
}

constexpr Function kRepeat{.name = "repeat",
                           .raises = true,
                           .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64>,
                           .evaluate = repeat,
                           .reference = repeat_reference,
                           .device = on_device<"repeated", "strings/texts", false, true>,
                           .documentation = "The string repeated n times; '' if n is below 1.",
                           .example = "repeat('ab', 3)"};
constexpr Function kBlobRepeat{.name = "repeat",
                               .raises = true,
                               .resolve = takes<TypeId::kBlob, TypeId::kBlob, TypeId::kInt64>,
                               .evaluate = repeat,
                               .reference = repeat_reference,
                               .device = on_device<"repeated", "strings/texts", false, true>,
                               .documentation = "The blob repeated n times; empty if n is below 1.",
                               .example = "repeat('\\xAA'::BLOB, 3)"};

template <PadSide kSide>
std::optional<DeviceFunction> device_pad(const Expr&) {
  return DeviceFunction{.name = kSide == PadSide::kLeft ? "padded<true>" : "padded<false>",
                        .header = "strings/texts",
                        .makes_text = true};
}

template <PadSide kSide>
constexpr Function padding(std::string_view documentation, std::string_view example) {
  return {.name = kPadNames[static_cast<int>(kSide)],
          .raises = true,
          .resolve = takes<TypeId::kVarchar, TypeId::kVarchar, TypeId::kInt64, TypeId::kVarchar>,
          .evaluate = pad<kSide>,
          .reference = pad_reference<kSide>,
          .device = device_pad<kSide>,
          .documentation = documentation,
          .example = example};
}

constexpr Function kPadFunctions[] = {
    kRepeat,
    kBlobRepeat,
    padding<PadSide::kLeft>("The string cut to n characters, or padded on its left to n.",
                            "lpad('42', 6, '·')"),
    padding<PadSide::kRight>("The string cut to n characters, or padded on its right to n.",
                             "rpad('42', 6, '·')"),
};

}  // namespace

std::span<const Function> pad_functions() { return kPadFunctions; }

}  // namespace lanewise::expr
