#include "base/size.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/error.h"

namespace lanewise {

std::string format_size(size_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 6) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0 || value == std::floor(value)) return fmt::format("{:.0f} {}", value, kUnits[unit]);
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

size_t parse_size(std::string_view text) {
  static const std::map<std::string, double, std::less<>> kUnits = {
      {"", 1},         {"b", 1},        {"k", 0x1p10},   {"m", 0x1p20},   {"g", 0x1p30},
      {"t", 0x1p40},   {"kb", 1e3},     {"mb", 1e6},     {"gb", 1e9},     {"tb", 1e12},
      {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40},
  };
  const std::string copy(text);
  char* rest = nullptr;
  const double number = std::strtod(copy.c_str(), &rest);
  std::string unit;
  for (; *rest != 0; ++rest) {
    if (*rest != ' ') unit.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(*rest))));
  }
  const auto found = kUnits.find(unit);
  const double bytes = found == kUnits.end() ? -1 : number * found->second;
  if (text.empty() || rest == copy.c_str() || !(bytes >= 0) || bytes >= 0x1p63) {
    throw UserError(fmt::format("'{}' is not a size; write for example 512MiB or 4GB", text));
  }
  return static_cast<size_t>(bytes);
}

}  // namespace lanewise
