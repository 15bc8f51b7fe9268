#include "pram/meta/units.h"

#include <set>

#include "base/error.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

}  // namespace

Unit unit_of(const Meta& meta) {
  Unit unit;
  if (meta.kind != Kind::kHostIf && meta.kind != Kind::kHostWhile)
    unit.set = meta.kind == Kind::kRepeat ? meta.to : meta.from;
  if (meta.kind != Kind::kKernel) {
    unit.kind = Unit::Kind::kTest;
    unit.lines = {meta.place.line};
    return unit;
  }
  std::set<uint32_t> lines;
  walk(meta.statements, [&](const Statement& statement) { lines.insert(statement.place.line); });
  unit.lines.assign(lines.begin(), lines.end());
  return unit;
}

Unit unit_of(const Statement& statement) {
  return {.kind = Unit::Kind::kHost, .lines = {statement.place.line}};
}

const std::vector<uint32_t>& Units::of(const Statement& statement) const {
  const auto found = of_.find(statement.kind == Statement::Kind::kAssign ? key_of(statement, 0)
                                                                         : key_of(*statement.condition));
  if (found == of_.end()) throw InternalError("a statement that no kernel has");
  return found->second;
}

Units::Key Units::key_of(const Statement& assignment, size_t target) {
  const Place& place = assignment.values[target]->place;
  const Target& to = assignment.targets[target];
  return {place.line, place.column, to.shared ? 1 : 0, to.index};
}

Units::Key Units::key_of(const Expr& condition) {
  return {condition.place.line, condition.place.column, 2, 0};
}

void Units::note(const Key& key) {
  std::vector<uint32_t>& units = of_[key];
  const auto unit = static_cast<uint32_t>(units_.size() - 1);
  if (units.empty() || units.back() != unit) units.push_back(unit);
}

void Units::add(const std::vector<Meta>& list) {
  for (const Meta& meta : list) {
    if (meta.kind == Kind::kHost) {
      for (const Statement& statement : meta.statements) {
        units_.push_back(unit_of(statement));
        add(std::vector<Statement>{statement});
      }
    } else if (meta.kind == Kind::kKernel) {
      units_.push_back(unit_of(meta));
      add(meta.statements);
    } else if (meta.condition) {
      units_.push_back(unit_of(meta));
      note(key_of(*meta.condition));
    }
    add(meta.body);
    add(meta.otherwise);
  }
}

void Units::add(const std::vector<Statement>& list) {
  walk(list, [&](const Statement& statement) {
    if (statement.kind != Statement::Kind::kAssign) return note(key_of(*statement.condition));
    for (size_t t = 0; t < statement.targets.size(); ++t) note(key_of(statement, t));
  });
}

}  // namespace lanewise::pram
