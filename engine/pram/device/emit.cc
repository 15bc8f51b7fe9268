#include "pram/device/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "base/error.h"
#include "pram/device/kernel_writer.h"
#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;

struct Source {
  std::string_view name;
  std::string_view text;
};

constexpr Source kPreludes[] = {
#include <pram_preludes.inc>
};

std::string_view prelude(std::string_view name) {
  for (const Source& source : kPreludes) {
    if (source.name == name) return source.text;
  }
  throw InternalError("a prelude that is not there");
}

bool reads(const Expr& expr, uint32_t index) {
  bool found = false;
  walk(expr, [&](const Expr& part) { found |= part.op == Op::kPrivate && part.index == index; });
  return found;
}

bool reads(const Statement& statement, uint32_t index) {
  bool found = false;
  for_each_expression(statement, [&](const Expr& expr) { found |= reads(expr, index); });
  return found;
}

bool writes(const Statement& statement, uint32_t index) {
  return std::any_of(statement.targets.begin(), statement.targets.end(),
                     [&](const Target& target) { return !target.shared && target.index == index; });
}

/// Whether a kernel writes a private variable before it needs what was there.
bool begins_with_write(const std::vector<Statement>& list, uint32_t index) {
  for (const Statement& statement : list) {
    if (reads(statement, index)) return false;
    if (writes(statement, index)) return true;
    bool used = false;
    const auto look = [&](const Statement& inner) { used |= reads(inner, index) || writes(inner, index); };
    walk(statement.body, look);
    walk(statement.otherwise, look);
    if (used) return false;
  }
  return true;
}

/// Which private variables a node uses.
std::vector<bool> used_by(const Meta& meta, size_t privates) {
  std::vector<bool> used(privates);
  const auto look = [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (part.op == Op::kPrivate) used[part.index] = true;
    });
  };
  if (meta.condition) look(*meta.condition);
  walk(meta.statements, [&](const Statement& statement) {
    for_each_expression(statement, look);
    for (const Target& target : statement.targets) {
      if (!target.shared) used[target.index] = true;
    }
  });
  return used;
}

class ProgramWriter {
 public:
  ProgramWriter(const Tree& tree, const MetaProgram& meta, const EmitOptions& options)
      : tree_(tree), meta_(meta), options_(options), uses_(tree.privates.size()) {}

  EmittedProgram run() {
    find_registers();
    nodes(meta_.body, std::nullopt);
    return std::move(made_);
  }

 private:
  /// Private variables that one kernel writes before it reads them, and no other uses.
  void find_registers() {
    std::vector<bool> lets(tree_.privates.size());
    std::vector<bool> first(tree_.privates.size(), true);  // each kernel begins with a write
    visit(meta_.body, [&](const Meta& meta) {
      const std::vector<bool> used = used_by(meta, lets.size());
      for (uint32_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        ++uses_[i];
        first[i] = first[i] && meta.kind == Kind::kKernel && begins_with_write(meta.statements, i);
      }
      const auto look = [&](const Expr& expr) {
        walk(expr, [&](const Expr& part) {
          if (part.op == Op::kLet) lets[part.index] = true;
        });
      };
      if (meta.condition) look(*meta.condition);
      walk(meta.statements, [&](const Statement& statement) { for_each_expression(statement, look); });
    });
    made_.assigned.resize(lets.size());
    made_.in_register.resize(lets.size());
    for (size_t i = 0; i < lets.size(); ++i) {
      made_.in_register[i] = lets[i] || meta_.hosted[i] || (uses_[i] <= 1 && first[i]);
    }
  }

  /// Which private variables the kernels of a block for all its processors write before anybody reads them.
  void find_assigned(const std::vector<Meta>& list) {
    std::vector<bool> open(tree_.privates.size(), true);  // not used so far
    for (const Meta& meta : list) {
      visit({&meta, 1}, [&](const Meta& node) {
        const std::vector<bool> used = used_by(node, open.size());
        for (uint32_t i = 0; i < used.size(); ++i) {
          if (!used[i] || !open[i]) continue;
          open[i] = false;
          made_.assigned[i] =
              &node == &meta && node.kind == Kind::kKernel && begins_with_write(node.statements, i);
        }
      });
    }
  }

  void nodes(const std::vector<Meta>& list, std::optional<uint32_t> block) {
    for (const Meta& meta : list) node(meta, block);
  }

  void node(const Meta& meta, std::optional<uint32_t> block) {
    switch (meta.kind) {
      case Kind::kHost:
        for (const Statement& statement : meta.statements) {
          if (!is_of_host(statement)) once(statement, statement.place);
        }
        break;
      case Kind::kHostIf:
      case Kind::kHostWhile:
        if (!is_of_host(*meta.condition)) once(*meta.condition, meta.place);
        break;
      case Kind::kAll:
        block = meta.block;
        find_assigned(meta.body);
        break;
      case Kind::kKernel:
        kernel(meta, *block);
        break;
      case Kind::kSplit:
      case Kind::kRepeat:
        test(meta, *block);
        break;
    }
    nodes(meta.body, block);
    nodes(meta.otherwise, block);
  }

  EmittedKernel& begin(const void* of, KernelKind kind, const Place& place) {
    EmittedKernel& made = made_.kernels[of];
    made.name = fmt::format("{}{}", options_.prefix, made_.kernels.size() - 1);
    made.kind = kind;
    made_.text += fmt::format("\n// Line {}.\n", place.line);
    return made;
  }

  void once(const Statement& statement, const Place& place) {
    EmittedKernel& made = begin(&statement, KernelKind::kOnce, place);
    KernelWriter writer(tree_, std::nullopt, made_.in_register, options_.check);
    writer.once(statement);
    finish_once(made, writer);
  }

  void once(const Expr& condition, const Place& place) {
    EmittedKernel& made = begin(&condition, KernelKind::kOnce, place);
    KernelWriter writer(tree_, std::nullopt, made_.in_register, options_.check);
    writer.line(1, fmt::format("status[{}] = {};", kResults, writer.value(condition)));
    finish_once(made, writer);
  }

  void finish_once(EmittedKernel& made, KernelWriter& writer) {
    made_.text += writer.finish(made, "GLOBAL word* status", "  if (POSITION != 0) return;\n", kFailure);
  }

  void kernel(const Meta& meta, uint32_t block) {
    const bool in_place = meta.writing == Writing::kInPlace;
    EmittedKernel& made = begin(&meta, in_place ? KernelKind::kInPlace : KernelKind::kBuffered, meta.place);
    KernelWriter writer(tree_, block, made_.in_register, options_.check);
    std::vector<bool> loaded(tree_.privates.size());
    for (uint32_t i = 0; i < loaded.size(); ++i) loaded[i] = !begins_with_write(meta.statements, i);
    writer.needs(loaded);
    if (in_place) {
      writer.statements(meta.statements, 1);
      made_.text += writer.finish(made, kSet, std::string(kWho) + "  if (who < 0) return;\n", kFailure);
      return;
    }
    std::string first = kSet;
    std::string before = "  const word position = POSITION;\n  if (position >= positions) return;\n";
    const Statement& assignment = assignment_of(meta);
    for (size_t t = 0; t < assignment.targets.size(); ++t) {
      if (!assignment.targets[t].shared) continue;
      first += fmt::format(", GLOBAL word* cells_{0}, GLOBAL word* values_{0}", t);
      before += fmt::format("  cells_{}[position] = -1;\n", t);
    }
    size_t depth = 1;
    for (const Statement* statement = &meta.statements[0]; statement != &assignment;
         statement = &statement->body[0]) {
      writer.line(depth++, fmt::format("if ({}) {{", writer.value(*statement->condition)));
    }
    writer.buffered(assignment, depth);
    while (depth > 1) writer.line(--depth, "}");
    made_.text += writer.finish(made, first, before + kWho + "  if (who < 0) return;\n", kFailure);
  }

  void test(const Meta& meta, uint32_t block) {
    EmittedKernel& made = begin(&meta, KernelKind::kTest, meta.place);
    KernelWriter writer(tree_, block, made_.in_register, options_.check);
    writer.line(1, fmt::format("const int holds = found >= 0 && {};", writer.value(*meta.condition)));
    made_.text +=
        writer.finish(made, std::string(kSet) + ", GLOBAL uint* kept",
                      "  const word found = processor_at(POSITION, positions, form, set);\n"
                      "  const word who = found < 0 ? 0 : found;\n",
                      fmt::format("{}  VOTE(holds, bits, count);\n"
                                  "  if (MEMBER % 32 == 0) kept[POSITION / 32] = bits;\n"
                                  "  if (MEMBER == 0 && count != 0) atomic_sum(status + {}, count);\n",
                                  kFailure, kKept));
  }

  template <class F>
  static void visit(std::span<const Meta> list, F f) {
    for (const Meta& meta : list) {
      f(meta);
      visit(meta.body, f);
      visit(meta.otherwise, f);
    }
  }

  static constexpr const char* kSet =
      "word positions, word form, GLOBAL const uint* set, GLOBAL word* status";
  static constexpr const char* kWho = "  const word who = processor_at(POSITION, positions, form, set);\n";
  static constexpr const char* kFailure = "  if (bad) status[0] = 1;\n";

  const Tree& tree_;
  const MetaProgram& meta_;
  const EmitOptions& options_;
  std::vector<uint32_t> uses_;  // by private: nodes that use it
  EmittedProgram made_;
};

}  // namespace

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

EmittedProgram emit(const Tree& tree, const MetaProgram& meta, const EmitOptions& options) {
  return ProgramWriter(tree, meta, options).run();
}

std::string source_of(Dialect dialect, const std::string& text) {
  return fmt::format("{}\n{}\n{}", prelude(dialect == Dialect::kCuda ? "cuda" : "opencl"), prelude("common"),
                     text);
}

std::string tools_text() { return std::string(prelude("tools")); }

}  // namespace lanewise::pram
