#include "pram/meta/shape.h"

#include <algorithm>

namespace lanewise::pram {

uint32_t sets_of(const std::vector<Meta>& list) {
  uint32_t sets = 1;
  for (const Meta& meta : list) {
    sets = std::max({sets, meta.from + 1, meta.to + 1, sets_of(meta.body), sets_of(meta.otherwise)});
  }
  return sets;
}

const Statement& assignment_of(const Meta& meta) {
  const Statement* statement = &meta.statements[0];
  while (statement->kind == Statement::Kind::kIf) statement = &statement->body[0];
  return *statement;
}

bool is_of_host(const Expr& expr) {
  bool found = false;
  walk(expr, [&](const Expr& part) { found |= part.op == Op::kCell; });
  return !found;
}

bool is_of_host(const Statement& statement) {
  bool alone = true;
  for (const Target& target : statement.targets) alone = alone && !target.shared;
  for_each_expression(statement, [&](const Expr& expr) { alone = alone && is_of_host(expr); });
  return alone;
}

bool writes_shared_only(const Statement& statement) {
  return std::all_of(statement.targets.begin(), statement.targets.end(),
                     [](const Target& target) { return target.shared; });
}

uint64_t words_of(const Meta& meta, const std::vector<bool>& columns) {
  uint64_t words = 0;
  std::vector<bool> read(columns.size());
  std::vector<bool> written(columns.size());
  const auto look = [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (part.op == Op::kCell) ++words;
      if (part.op == Op::kPrivate) read[part.index] = true;
    });
  };
  if (meta.condition) look(*meta.condition);
  walk(meta.statements, [&](const Statement& statement) {
    for_each_expression(statement, look);
    for (const Target& target : statement.targets) {
      if (!target.shared) written[target.index] = true;
      if (target.shared) words += meta.writing == Writing::kInPlace ? 1 : 5;
    }
  });
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i]) words += (read[i] ? 1 : 0) + (written[i] ? 1 : 0);
  }
  return words;
}

size_t buffers_of(const std::vector<Meta>& list) {
  size_t most = 0;
  for (const Meta& meta : list) {
    if (meta.kind == Meta::Kind::kKernel && meta.writing != Writing::kInPlace) {
      most = std::max(most, assignment_of(meta).targets.size());
    }
    most = std::max({most, buffers_of(meta.body), buffers_of(meta.otherwise)});
  }
  return most;
}

}  // namespace lanewise::pram
