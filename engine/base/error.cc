#include "base/error.h"

namespace lanewise {

std::string without_nuls(std::string_view message) {
  std::string text;
  for (const char c : message) {
    if (c == '\0') {
      text += "\\0";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace lanewise
