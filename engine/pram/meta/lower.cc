#include <algorithm>

#include "pram/meta/meta.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

class Lowering {
 public:
  explicit Lowering(const Tree& tree)
      : buffered_(tree.mode == Mode::kErew || tree.mode == Mode::kCrew ? Writing::kBuffered
                                                                       : Writing::kResolved) {}

  std::vector<Meta> host(const std::vector<Statement>& statements) const {
    std::vector<Meta> result;
    for (const Statement& statement : statements) result.push_back(host(statement));
    return result;
  }

 private:
  Meta host(const Statement& statement) const {
    Meta made{.kind = Kind::kHost, .place = statement.place, .condition = statement.condition};
    switch (statement.kind) {
      case Statement::Kind::kAssign:
        made.statements = {statement};
        break;
      case Statement::Kind::kIf:
      case Statement::Kind::kWhile:
        made.kind = statement.kind == Statement::Kind::kIf ? Kind::kHostIf : Kind::kHostWhile;
        made.body = host(statement.body);
        made.otherwise = host(statement.otherwise);
        break;
      case Statement::Kind::kBlock:
        made.kind = Kind::kAll;
        made.block = statement.block;
        made.body = on_set(statement.body, 0);
        break;
    }
    return made;
  }

  /// Statements of a block for the processors of T[set]; higher sets are free.
  std::vector<Meta> on_set(const std::vector<Statement>& statements, uint32_t set) const {
    std::vector<Meta> result;
    for (const Statement& statement : statements) {
      Meta made{
          .kind = Kind::kKernel, .place = statement.place, .condition = statement.condition, .from = set};
      switch (statement.kind) {
        case Statement::Kind::kAssign:
          made.statements = {statement};
          // Private variables need no second copy: no other processor reads them.
          made.writing = std::any_of(statement.targets.begin(), statement.targets.end(),
                                     [](const Target& target) { return target.shared; })
                             ? buffered_
                             : Writing::kInPlace;
          break;
        case Statement::Kind::kIf: {
          // The other processors are kept in a lower set than the first part's own sets.
          const bool both = !statement.otherwise.empty();
          made.kind = Kind::kSplit;
          if (both) made.rest = set + 1;
          made.to = set + (both ? 2 : 1);
          made.body = on_set(statement.body, made.to);
          if (both) made.otherwise = on_set(statement.otherwise, set + 1);
          break;
        }
        case Statement::Kind::kWhile:
          made.kind = Kind::kRepeat;
          made.to = set + 1;
          made.body = on_set(statement.body, made.to);
          break;
        case Statement::Kind::kBlock:
          throw InternalError("a block within a block");
      }
      result.push_back(std::move(made));
    }
    return result;
  }

  Writing buffered_;
};

}  // namespace

MetaProgram lower(const Tree& tree) {
  return {Lowering(tree).host(tree.body),
          std::vector<bool>(tree.privates.size()),
          {},
          std::vector<bool>(tree.blocks.size())};
}

}  // namespace lanewise::pram
