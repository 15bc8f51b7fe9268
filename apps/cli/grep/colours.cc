#include "grep/colours.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "base/error.h"

namespace lanewise::cli::grep {

namespace {

constexpr std::array<std::string_view, 8> kColours = {"black", "red",     "green", "yellow",
                                                      "blue",  "magenta", "cyan",  "white"};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// 0..255, decimal or 0x...
int number_of(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  const bool good = error == std::errc() && end == text.data() + text.size() && value <= 255;
  return good ? static_cast<int>(value) : -1;
}

/// The SGR parameters of a colour; `base` is 30 for the foreground, 40 for the background. Throws UserError.
std::string colour_of(std::string_view text, int base) {
  for (size_t i = 0; i < kColours.size(); ++i) {
    if (kColours[i] == text) return std::to_string(base + static_cast<int>(i));
  }
  const auto parts = split(text, ',');
  std::vector<int> numbers;
  for (const std::string_view part : parts) numbers.push_back(number_of(part));
  for (const int number : numbers) {
    if (number < 0)
      throw UserError(fmt::format(
          "unrecognized color name '{}'; choose from black, blue, green, red, cyan, magenta, yellow, white, "
          "a number up to 255, or three of them",
          text));
  }
  if (numbers.size() == 1) return fmt::format("{};5;{}", base + 8, numbers[0]);
  if (numbers.size() == 3) return fmt::format("{};2;{};{};{}", base + 8, numbers[0], numbers[1], numbers[2]);
  throw UserError(fmt::format("'{}' is not a colour; give one number, or red,green,blue", text));
}

void apply_style(ColourSpec& spec, std::string_view style) {
  if (style == "bold" || style == "nobold") {
    spec.bold = style == "bold";
  } else if (style == "intense" || style == "nointense") {
    spec.intense = style == "intense";
  } else if (style == "underline" || style == "nounderline") {
    spec.underline = style == "underline";
  } else {
    throw UserError(fmt::format(
        "unrecognized style '{}'; choose from nobold, bold, nointense, intense, nounderline, underline",
        style));
  }
}

}  // namespace

std::string ColourSpec::start() const {
  std::string out(kResetColour);
  if (bold) out += "\33[1m";
  if (underline) out += "\33[4m";
  const auto add = [&](const std::string& colour) {
    if (colour.empty()) return;
    const bool basic = colour.size() == 2;  // 30..37, 40..47; intense colours are among the 256
    if (intense && basic) {
      out += fmt::format("\33[{};5;{}m", colour[0] == '3' ? 38 : 48, colour[1] - '0' + 8);
    } else {
      out += "\33[" + colour + "m";
    }
  };
  add(foreground);
  add(background);
  return out;
}

ColourSpecs::ColourSpecs() {
  path.foreground = "35";
  line.foreground = "32";
  match.foreground = "31";
  match.bold = true;
}

void ColourSpecs::apply(std::string_view text) {
  const auto parts = split(text, ':');
  const auto malformed = [&] {
    return UserError(fmt::format(
        "invalid color spec format: '{}'; the format is (path|line|column|match):(fg|bg|style):(value)",
        text));
  };
  if (parts.size() < 2 || parts.size() > 3) throw malformed();
  ColourSpec* spec = nullptr;
  if (parts[0] == "path") spec = &path;
  if (parts[0] == "line") spec = &line;
  if (parts[0] == "column") spec = &column;
  if (parts[0] == "match") spec = &match;
  if (spec == nullptr) {
    throw UserError(
        fmt::format("unrecognized output type '{}'; choose from path, line, column, match", parts[0]));
  }
  if (parts[1] == "none") {
    *spec = {};
    return;
  }
  if (parts.size() != 3) throw malformed();
  if (parts[1] == "fg") {
    spec->foreground = colour_of(parts[2], 30);
  } else if (parts[1] == "bg") {
    spec->background = colour_of(parts[2], 40);
  } else if (parts[1] == "style") {
    apply_style(*spec, parts[2]);
  } else {
    throw UserError(fmt::format("unrecognized spec type '{}'; choose from fg, bg, style, none", parts[1]));
  }
}

}  // namespace lanewise::cli::grep
