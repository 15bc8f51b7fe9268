#include "expr/patterns/either.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "expr/patterns/functions.h"
#include "expr/patterns/prepared_pattern.h"

namespace lanewise::expr {

namespace {

double cost_of(const PreparedPattern& pattern) { return text::Matcher(pattern.pattern()).cost(); }

/// One pattern for all; null where together they exceed what one may be.
std::shared_ptr<const PreparedPattern> united(const std::vector<const PreparedPattern*>& patterns) {
  std::vector<text::Pattern> parts;
  for (const PreparedPattern* pattern : patterns) parts.push_back(pattern->pattern());
  try {
    return std::make_shared<PreparedPattern>(text::unite(parts));
  } catch (const UserError&) {
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<const Either> prepare_either(std::span<const ExprPtr> args) {
  std::map<size_t, std::vector<size_t>> asked;  // arguments by the column that they test
  for (size_t i = 0; i < args.size(); ++i) {
    if (constant_test(*args[i]) != nullptr && args[i]->args[0]->kind == Expr::Kind::kColumn)
      asked[args[i]->args[0]->column].push_back(i);
  }
  for (const auto& [column, which] : asked) {
    if (which.size() < 2) continue;
    std::vector<const PreparedPattern*> patterns;
    double apart = 0;
    for (size_t arg : which) {
      patterns.push_back(constant_test(*args[arg]));
      apart += cost_of(*patterns.back());
    }
    const auto pattern = united(patterns);
    if (pattern == nullptr || cost_of(*pattern) >= apart) continue;
    auto either = std::make_shared<Either>();
    either->args = which;
    either->test = pattern_test(args[which[0]]->args[0], pattern);
    return either;
  }
  return nullptr;
}

}  // namespace lanewise::expr
