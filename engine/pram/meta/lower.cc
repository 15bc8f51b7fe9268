#include "pram/meta/meta.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

std::vector<Meta> host(const std::vector<Statement>& statements);

/// Statements of a block for the processors of T[set]; sets above it are free.
std::vector<Meta> on_set(const std::vector<Statement>& statements, uint32_t set) {
  std::vector<Meta> result;
  for (const Statement& statement : statements) {
    Meta made{
        .kind = Kind::kAssign, .statement = &statement, .from = set, .rest = {}, .body = {}, .otherwise = {}};
    if (statement.kind == Statement::Kind::kIf) {
      // The others are kept below those of the first part, whose own sets come and go above.
      const bool both = !statement.otherwise.empty();
      made.kind = Kind::kSplit;
      if (both) made.rest = set + 1;
      made.to = set + (both ? 2 : 1);
      made.body = on_set(statement.body, made.to);
      if (both) made.otherwise = on_set(statement.otherwise, set + 1);
    } else if (statement.kind == Statement::Kind::kWhile) {
      made.kind = Kind::kRepeat;
      made.to = set + 1;
      made.body = on_set(statement.body, made.to);
    }
    result.push_back(std::move(made));
  }
  return result;
}

Meta host(const Statement& statement) {
  Meta made{.kind = Kind::kHostAssign, .statement = &statement, .rest = {}, .body = {}, .otherwise = {}};
  switch (statement.kind) {
    case Statement::Kind::kAssign:
      break;
    case Statement::Kind::kIf:
    case Statement::Kind::kWhile:
      made.kind = statement.kind == Statement::Kind::kIf ? Kind::kHostIf : Kind::kHostWhile;
      made.body = host(statement.body);
      made.otherwise = host(statement.otherwise);
      break;
    case Statement::Kind::kBlock:
      made.kind = Kind::kAll;
      made.body = on_set(statement.body, 0);
      break;
  }
  return made;
}

std::vector<Meta> host(const std::vector<Statement>& statements) {
  std::vector<Meta> result;
  for (const Statement& statement : statements) result.push_back(host(statement));
  return result;
}

}  // namespace

std::vector<Meta> lower(const Tree& tree) { return host(tree.body); }

}  // namespace lanewise::pram
