#include "pram/gpu/emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "base/error.h"
#include "pram/gpu/emit/kernel_writer.h"
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

/// Whether a kernel writes a private variable before it reads it.
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

/// The private variables that a node uses.
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
  /// The batch whose steps are being written.
  struct Batch {
    std::vector<bool> written = {};  // by variable
    std::vector<bool> held = {};     // by variable: groups with windows hold its cells
    uint32_t steps = 0;
    std::string text = {}, windows = {};  // steps, the latter within windows
    std::vector<KernelArgument> constant = {}, constant_of_windows = {};
    size_t given = 0;  // maximum of a step
  };
  static constexpr uint64_t kMostCells = 4'096;  // cells that a group holds: 32 KiB, which every device has

  /// Private variables that one kernel writes before it reads them, and that no other uses.
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

  /// The private variables that the kernels of a block write for all its processors before any reads them.
  /// `open`: not used so far.
  void find_assigned(const std::vector<Meta>& list, std::vector<bool>& open) {
    for (const Meta& meta : list) {
      if (meta.kind == Kind::kBatch) {
        find_assigned(meta.body, open);
        continue;
      }
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
    std::vector<bool> unused;
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
        unused = std::vector<bool>(tree_.privates.size(), true);
        find_assigned(meta.body, unused);
        break;
      case Kind::kKernel:
        kernel(meta, *block);
        break;
      case Kind::kSplit:
      case Kind::kRepeat:
        test(meta, *block);
        break;
      case Kind::kBatch:
        return batch(meta, block);
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
    KernelWriter writer(tree_, std::nullopt, made_.in_register, options_);
    writer.once(statement);
    finish_once(made, writer);
    if (batch_ != nullptr) window_step(statement, step(&statement, writer));
  }

  void once(const Expr& condition, const Place& place) {
    EmittedKernel& made = begin(&condition, KernelKind::kOnce, place);
    KernelWriter writer(tree_, std::nullopt, made_.in_register, options_);
    writer.line(1, fmt::format("status[{}] = {};", kResults, writer.value(condition)));
    finish_once(made, writer);
  }

  void finish_once(EmittedKernel& made, KernelWriter& writer) {
    made_.text += writer.finish(made, "GLOBAL word* status", "  if (POSITION != 0) return;\n", kFailure);
  }

  void kernel(const Meta& meta, uint32_t block) {
    const bool in_place = meta.writing == Writing::kInPlace;
    EmittedKernel& made = begin(&meta, in_place ? KernelKind::kInPlace : KernelKind::kBuffered, meta.place);
    KernelWriter writer(tree_, block, made_.in_register, options_);
    std::vector<bool> loaded(tree_.privates.size());
    for (uint32_t i = 0; i < loaded.size(); ++i) loaded[i] = !begins_with_write(meta.statements, i);
    writer.needs(loaded);
    if (in_place) {
      writer.statements(meta.statements, 1);
      made_.text += writer.finish(made, kSet, std::string(kWho) + "  if (who < 0) return;\n", kFailure);
      if (batch_ != nullptr) window_step(meta, block, loaded, step(&meta, writer));
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

  /// Nodes that the host can defer: each is a kernel of its own and a step of the batch's kernels.
  void batch(const Meta& meta, std::optional<uint32_t> block) {
    Batch made{.written = written_by(meta.body), .held = std::vector<bool>(tree_.variables.size())};
    std::vector<uint32_t> users(tree_.variables.size());
    count_users(meta.body, 1, users);
    for (uint32_t i = 0; i < users.size(); ++i) {
      made.held[i] = made.written[i] && users[i] > 1 && tree_.variables[i].extents.size() == 1;
    }
    batch_ = &made;
    nodes(meta.body, block);
    batch_ = nullptr;
    EmittedKernel& kernel = begin(&meta, KernelKind::kBatch, meta.place);
    kernel.row = kStepHead + made.given;
    made_.text +=
        KernelWriter(tree_, block, made_.in_register, options_).batch(kernel, made.constant, made.text);
    if (!made.windows.empty()) windows(meta, block, made);
  }

  /// The same steps for groups that each have cells of their own.
  void windows(const Meta& meta, std::optional<uint32_t> block, const Batch& from) {
    EmittedWindows& made = made_.windows[&meta];
    for (uint32_t i = 0; i < from.held.size(); ++i) {
      if (from.held[i]) made.held.push_back({i, ends_with(meta, i)});
    }
    // Whole rows of banks.
    made.most = made.held.empty() ? kMostCells : kMostCells / made.held.size() / 16 * 16;
    made.kernel.name = made_.kernels.at(&meta).name + "_windows";
    made.kernel.kind = KernelKind::kWindows;
    made.kernel.row = made_.kernels.at(&meta).row;
    made_.text += "\n" + KernelWriter(tree_, block, made_.in_register, options_)
                             .windows(made, from.constant_of_windows, from.windows);
  }

  /// Adds the number of kernels that use each variable; kernels in a loop count twice.
  void count_users(const std::vector<Meta>& list, uint32_t times, std::vector<uint32_t>& users) const {
    for (const Meta& meta : list) {
      const uint32_t within = meta.kind == Kind::kHostWhile ? 2 : times;
      count_users(meta.body, within, users);
      count_users(meta.otherwise, within, users);
      if (meta.kind != Kind::kKernel && meta.kind != Kind::kHost) continue;
      const std::vector<bool> used = shared_used_by(meta);
      for (uint32_t i = 0; i < users.size(); ++i) users[i] += used[i] ? times : 0;
    }
  }

  /// Whether a variable is used only by this batch, once.
  bool ends_with(const Meta& batch, uint32_t variable) const {
    if (tree_.variables[variable].result()) return false;
    if (std::none_of(meta_.body.begin(), meta_.body.end(), [&](const Meta& one) { return &one == &batch; })) {
      return false;
    }
    bool elsewhere = false;
    for (const Meta& one : meta_.body) {
      if (&one == &batch) continue;
      visit({&one, 1}, [&](const Meta& node) { elsewhere |= shared_used_by(node)[variable]; });
    }
    return !elsewhere;
  }

  std::vector<bool> shared_used_by(const Meta& meta) const {
    std::vector<bool> used(tree_.variables.size());
    const auto look = [&](const Expr& expr) {
      walk(expr, [&](const Expr& part) {
        if (part.op == Op::kCell) used[part.index] = true;
      });
    };
    if (meta.condition) look(*meta.condition);
    walk(meta.statements, [&](const Statement& statement) {
      for_each_expression(statement, look);
      for (const Target& target : statement.targets) {
        if (target.shared) used[target.index] = true;
      }
    });
    return used;
  }

  /// A kernel or a statement of a single processor, written by `writer`, as a step of its batch.
  EmittedStep& step(const void* of, KernelWriter& writer) {
    EmittedStep& made = made_.steps[of];
    made.number = batch_->steps++;
    batch_->text += writer.step(made, batch_->constant);
    batch_->given = std::max(batch_->given, made.given.size());
    return made;
  }

  /// The same step within windows, if it can be one.
  void window_step(const Meta& meta, uint32_t block, const std::vector<bool>& loaded, EmittedStep& step) {
    step.window = pram::window_step(meta, tree_, block, batch_->written, made_.in_register);
    if (!step.window) return;
    KernelWriter writer(tree_, block, made_.in_register, options_);
    writer.needs(loaded);
    writer.within(*step.window, batch_->held);
    writer.statements(step.window->statements, 1);
    add_window(step, writer);
  }

  void window_step(const Statement& statement, EmittedStep& step) {
    step.window = pram::window_step(statement, tree_, batch_->written);
    if (!step.window) return;
    KernelWriter writer(tree_, std::nullopt, made_.in_register, options_);
    writer.within(*step.window, batch_->held);
    writer.once(statement);
    add_window(step, writer);
  }

  void add_window(const EmittedStep& step, KernelWriter& writer) {
    batch_->windows += writer.window_step(step, batch_->constant_of_windows);
    batch_->given = std::max(batch_->given, step.given.size() + step.window->cells.size());
  }

  std::vector<bool> written_by(const std::vector<Meta>& list) const {
    std::vector<bool> written(tree_.variables.size());
    visit(list, [&](const Meta& meta) {
      walk(meta.statements, [&](const Statement& statement) {
        for (const Target& target : statement.targets) {
          if (target.shared) written[target.index] = true;
        }
      });
    });
    return written;
  }

  void test(const Meta& meta, uint32_t block) {
    EmittedKernel& made = begin(&meta, KernelKind::kTest, meta.place);
    KernelWriter writer(tree_, block, made_.in_register, options_);
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
  Batch* batch_ = nullptr;
  std::vector<uint32_t> uses_;  // by private variable: number of nodes that use it
  EmittedProgram made_;
};

}  // namespace

EmittedProgram emit(const Tree& tree, const MetaProgram& meta, const EmitOptions& options) {
  return ProgramWriter(tree, meta, options).run();
}

std::string source_of(Dialect dialect, const std::string& text) {
  return fmt::format("{}\n{}\n{}", prelude(dialect == Dialect::kCuda ? "cuda" : "opencl"), prelude("common"),
                     text);
}

std::string tools_text() { return fmt::format("{}\n{}", prelude("combine"), prelude("tools")); }

std::string group_text() { return fmt::format("{}\n{}", prelude("combine"), prelude("group")); }

}  // namespace lanewise::pram
