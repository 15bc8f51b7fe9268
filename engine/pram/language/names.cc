#include "pram/language/names.h"

#include <algorithm>
#include <numeric>

namespace lanewise::pram {

const Symbol* Names::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  }
  return nullptr;
}

std::string_view Names::nearest(std::string_view name) const {
  if (name.size() > 64) return {};
  std::string_view best;
  size_t least = name.size() / 3 + 1;  // beyond this distance it is another word
  for (const auto& scope : scopes_) {
    for (const auto& [known, symbol] : scope) {
      const size_t distance = known.size() > 64 ? least + 1 : edit_distance(name, known);
      if (distance < least || (distance == least && known < best)) {
        least = distance;
        best = known;
      }
    }
  }
  return best;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace lanewise::pram
