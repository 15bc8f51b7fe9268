#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "base/error.h"
#include "pram/gpu/emit/kernel_writer.h"
#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

using Kind = Meta::Kind;
using Role = KernelArgument::Role;

/// Words of a group's memory: a little less than the 32 KiB that every device has.
constexpr uint64_t kGroupWords = 4'080;

/// How writes to one cell in one step are combined: the operator's name in preludes/combine.c and, where
/// if their order does not matter, the atomic operation and the neutral element.
struct GroupCombination {
  const char* name;
  const char* atomic;
  Word neutral;
};
GroupCombination combination_in_group(Op op) {
  switch (op) {
    case Op::kMin:
      return {"MIN", "near_min", std::numeric_limits<Word>::max()};
    case Op::kMax:
      return {"MAX", "near_max", std::numeric_limits<Word>::min()};
    case Op::kAnd:
      return {"AND", "near_all", -1};
    case Op::kOr:
      return {"OR", "near_any", 0};
    case Op::kXor:
      return {"XOR", "near_odd", 0};
    case Op::kMultiply:
      return {"MULTIPLY", nullptr, 1};
    default:
      return {"ADD", nullptr, 0};  // partial sums may overflow
  }
}

class GroupWriter {
 public:
  GroupWriter(const Tree& tree, const MetaProgram& meta, const EmitOptions& options)
      : tree_(tree),
        meta_(meta),
        options_(options),
        held_(tree.variables.size(), true),
        registers_(tree.privates.size(), true),
        writer_(tree, std::nullopt, registers_, options) {}

  EmittedProgram run() {
    enter(std::nullopt);
    nodes(meta_.body, 1);
    EmittedProgram made;
    made.group.emplace();
    made.group->kernel.name = options_.prefix + "group";
    made.group->most = kGroupWords - scratch_;
    made.text = writer_.group(*made.group, scratch_);
    return made;
  }

 private:
  void enter(std::optional<uint32_t> block) {
    writer_.in_group(held_, block);
    block_ = block;
  }
  template <class... Arguments>
  void line(size_t depth, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    writer_.line(depth, fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  void wait(size_t depth) { line(depth, "WAIT_FOR_GROUP();"); }
  void step(size_t depth, const Place& place) { line(depth, "steps++;  // line {}", place.line); }
  /// All members stop if one failed, or after too many steps. They set a variable: compilers for
  /// cores miscompile kernels with several exits between barriers.
  void stop_where_bad(size_t depth) { line(depth, "if (ANY(bad || steps > limit, found)) go = 0;"); }
  static std::string active(uint32_t set) { return fmt::format("active_{}", set); }

  void nodes(const std::vector<Meta>& list, size_t depth) {
    for (const Meta& meta : list) node(meta, depth);
  }

  void node(const Meta& meta, size_t depth) {
    switch (meta.kind) {
      case Kind::kHost:
        for (const Statement& statement : meta.statements) host(statement, depth);
        return;
      case Kind::kHostIf:
        step(depth, meta.place);
        line(depth, "if ({}) {{", decision(*meta.condition, depth));
        nodes(meta.body, depth + 1);
        line(depth, "}} else {{");
        nodes(meta.otherwise, depth + 1);
        return line(depth, "}}");
      case Kind::kHostWhile:
        return loop(depth, meta, [&] {
          stop_where_bad(depth + 1);
          return decision(*meta.condition, depth + 1);
        });
      case Kind::kAll:
        return block(meta, depth);
      case Kind::kKernel:
        step(depth, meta.place);
        return meta.writing == Writing::kInPlace ? in_place(meta, depth) : buffered(meta, depth);
      case Kind::kSplit:
        return split(meta, depth);
      case Kind::kRepeat:
        return repeat(meta, depth);
      case Kind::kBatch:
        return nodes(meta.body, depth);
    }
  }

  /// All members run the statements of a single processor, and one of them writes.
  void host(const Statement& statement, size_t depth) {
    const std::optional<uint32_t> block = block_;
    enter(std::nullopt);
    step(depth, statement.place);
    line(depth, "{{");
    writer_.once_in_group(statement, depth + 1);
    line(depth, "}}");
    enter(block);
  }

  /// A condition that holds for all members or none, and that no member still reads.
  std::string decision(const Expr& condition, size_t depth) {
    const std::optional<uint32_t> block = block_;
    enter(std::nullopt);
    std::string text = writer_.value(condition);
    enter(block);
    if (is_of_host(condition)) return "(" + text + ")";
    const std::string name = fmt::format("holds_{}", names_++);
    line(depth, "const int {} = {};", name, text);
    wait(depth);
    return name;
  }

  void block(const Meta& meta, size_t depth) {
    const Block& block = tree_.blocks[meta.block];
    const size_t dimensions = block.dimensions.size();
    line(depth, "{{  // line {}", block.place.line);
    ++depth;
    stop_where_bad(depth);  // so that all find the same extents
    std::string all = "1";
    std::string negative;
    for (uint32_t d = 0; d < dimensions; ++d) {
      const std::string extent = writer_.argument(Role::kDimension, 0, d);
      line(depth, "{} = {};", extent, writer_.value(*block.dimensions[d].extent));
      all = fmt::format("multiply({}, {}, &bad)", all, extent);
      negative += fmt::format(" | {} < 0", extent);
    }
    line(depth, "const word all = {};", all);
    line(depth, "bad |= {};", negative.substr(3));
    line(depth, "if (go && !bad) peak = greater(peak, all);");
    line(depth, "if (go && !bad && all > {}) status[{}] = {};", kGroup, kCrowded, block.place.line);
    line(depth, "go = go && !bad && all <= {};", kGroup);
    wait(depth);  // all have read the extents
    line(depth, "if (go && all > 0) {{");
    ++depth;
    line(depth, "const word who = MEMBER;");
    enter(meta.block);
    for (const std::string& declared : lines_of(writer_.numbers())) writer_.line(depth - 1, declared);
    for (uint32_t i = 0; i < tree_.privates.size(); ++i) {
      if (tree_.privates[i].block != meta.block) continue;
      line(depth, "{} = 0;", meta_.hosted[i] ? writer_.argument(Role::kControl, i) : writer_.local(i, true));
    }
    line(depth, "int {} = who < all;", active(0));
    for (uint32_t set = 1; set < sets_of(meta.body); ++set) line(depth, "int {} = 0;", active(set));
    nodes(meta.body, depth);
    enter(std::nullopt);
    line(--depth, "}}");
    line(--depth, "}}");
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  void in_place(const Meta& meta, size_t depth) {
    line(depth, "if ({}) {{", active(meta.from));
    writer_.statements(meta.statements, depth + 1);
    line(depth, "}}");
    wait(depth);
  }

  /// Members keep their values until all have read.
  void buffered(const Meta& meta, size_t depth) {
    const Statement& assignment = assignment_of(meta);
    std::vector<size_t> shared;
    for (size_t t = 0; t < assignment.targets.size(); ++t) {
      if (assignment.targets[t].shared) shared.push_back(t);
    }
    line(depth, "{{");
    for (const size_t t : shared) line(depth + 1, "word cells_{0} = -1, values_{0} = 0;", t);
    line(depth + 1, "if ({}) {{", active(meta.from));
    size_t within = depth + 2;
    for (const Statement* statement = meta.statements.data(); statement != &assignment;
         statement = statement->body.data()) {
      line(within++, "if ({}) {{", writer_.value(*statement->condition));
    }
    writer_.buffered(assignment, within);
    while (within > depth + 1) line(--within, "}}");
    wait(depth + 1);
    write(assignment, meta.writing, shared, depth + 1);
    line(depth, "}}");
  }

  std::string cell(const Target& target, size_t t) {
    return fmt::format("{}_own[cells_{}]", writer_.argument(Role::kVariable, target.index), t);
  }
  /// `text` with each target's number and cell, for members that write one; then all wait.
  void each(const Statement& assignment, const std::vector<size_t>& shared, size_t depth,
            const auto& statement_of) {
    for (const size_t t : shared) {
      line(depth, "if (cells_{} >= 0) {};", t, statement_of(t, cell(assignment.targets[t], t)));
    }
    wait(depth);
  }

  void write(const Statement& assignment, Writing writing, const std::vector<size_t>& shared, size_t depth) {
    const bool draws = tree_.mode == Mode::kArbitrary && !options_.race;
    if (writing == Writing::kResolved) {
      if (draws || tree_.mode == Mode::kPriority) return winners(assignment, shared, draws, depth);
      if (tree_.mode == Mode::kCombining) return combine(assignment, shared, depth);
    }
    each(assignment, shared, depth,
         [](size_t t, const std::string& at) { return fmt::format("{} = values_{}", at, t); });
  }

  /// A cell first holds the ranks of its writers, of which the minimum remains, and then the winner's value.
  void winners(const Statement& assignment, const std::vector<size_t>& shared, bool draws, size_t depth) {
    line(depth, "const word rank = signed_rank(who, {:d}, seed);", draws);
    for (const size_t t : shared) line(depth, "int wins_{} = 0;", t);
    const auto all = [&](const auto& statement_of) { each(assignment, shared, depth, statement_of); };
    all([](size_t, const std::string& at) { return fmt::format("{} = (word)(~0ul >> 1)", at); });
    all([](size_t, const std::string& at) { return fmt::format("near_min(&{}, rank)", at); });
    all([](size_t t, const std::string& at) { return fmt::format("wins_{} = {} == rank", t, at); });
    all([](size_t t, const std::string& at) { return fmt::format("if (wins_{0}) {1} = values_{0}", t, at); });
  }

  void combine(const Statement& assignment, const std::vector<size_t>& shared, size_t depth) {
    std::map<uint32_t, std::vector<size_t>> variables;
    std::vector<size_t> in_any_order;
    for (const size_t t : shared) {
      const uint32_t variable = assignment.targets[t].index;
      const bool real = tree_.variables[variable].type == Type::kReal;
      if (real || combination_in_group(tree_.combine_of(variable)).atomic == nullptr) {
        variables[variable].push_back(t);
      } else {
        in_any_order.push_back(t);
      }
    }
    const auto how = [&](size_t t) {
      return combination_in_group(tree_.combine_of(assignment.targets[t].index));
    };
    if (!in_any_order.empty()) {
      each(assignment, in_any_order, depth, [&](size_t t, const std::string& at) {
        const Word neutral = how(t).neutral;
        const bool least = neutral == std::numeric_limits<Word>::min();
        return fmt::format("{} = {}", at, least ? "(word)(1ul << 63)" : fmt::format("{}l", neutral));
      });
      each(assignment, in_any_order, depth, [&](size_t t, const std::string& at) {
        return fmt::format("{}(&{}, values_{})", how(t).atomic, at, t);
      });
    }
    for (const auto& [variable, targets] : variables) {
      scratch_ = std::max(scratch_, 2 * kGroup * targets.size());
      if (scratch_ >= kGroupWords) {
        throw UserError(fmt::format(
            "line {}: one group combines at most {} writes of a processor to '{}' in a step, here are {}; "
            "use a smaller statement, or run without --one-group",
            assignment.place.line, (kGroupWords - 1) / (2 * kGroup), tree_.variables[variable].name,
            targets.size()));
      }
      combine_in_order(variable, targets, how(targets[0]), depth);
    }
  }

  void combine_in_order(uint32_t variable, const std::vector<size_t>& targets, const GroupCombination& how,
                        size_t depth) {
    const Type type = tree_.variables[variable].type;
    std::string cells;
    std::string values;
    for (const size_t t : targets) {
      cells += fmt::format("{}cells_{}", cells.empty() ? "" : ", ", t);
      values += fmt::format("{}values_{}", values.empty() ? "" : ", ", t);
    }
    line(depth, "{{");
    line(depth + 1, "const word cells[] = {{{}}}, values[] = {{{}}};", cells, values);
    line(depth + 1, "word places[{}];", 3 * targets.size());
    line(depth + 1, "combine_in_order({}_own, cells, values, places, {}, held, held + {}, {}, {}, &bad);",
         writer_.argument(Role::kVariable, variable), targets.size(), kGroup * targets.size(), how.name,
         type == Type::kReal    ? "REAL"
         : type == Type::kInt32 ? "SHORT"
                                : "0");
    line(depth, "}}");
  }

  /// The name of the condition that a member is in a set. All have waited.
  std::string some(uint32_t set, size_t depth) {
    const std::string name = fmt::format("some_{}", names_++);
    line(depth, "const int {} = ANY({}, found);", name, active(set));
    return name;
  }

  void split(const Meta& meta, size_t depth) {
    step(depth, meta.place);
    const std::string holds = fmt::format("holds_{}", names_++);
    line(depth, "const int {} = {} && {};", holds, active(meta.from), writer_.value(*meta.condition));
    if (meta.rest) line(depth, "{} = {} && !{};", active(*meta.rest), active(meta.from), holds);
    line(depth, "{} = {};", active(meta.to), holds);
    const auto branch = [&](uint32_t set, const std::vector<Meta>& body) {
      const std::string any = some(set, depth);
      line(depth, "if ({}) {{", any);
      nodes(body, depth + 1);
      line(depth, "}}");
    };
    branch(meta.to, meta.body);
    if (meta.rest && !meta.otherwise.empty()) branch(*meta.rest, meta.otherwise);
  }

  void repeat(const Meta& meta, size_t depth) {
    line(depth, "{} = {};", active(meta.to), active(meta.from));
    loop(depth, meta, [&] {
      line(depth + 1, "{0} = {0} && {1};", active(meta.to), writer_.value(*meta.condition));
      stop_where_bad(depth + 1);
      return some(meta.to, depth + 1);
    });
  }

  /// Repeats the body while `test`, which writes the test's code, returns a condition that holds.
  void loop(size_t depth, const Meta& meta, const auto& test) {
    const std::string again = fmt::format("again_{}", names_++);
    line(depth, "int {} = go;", again);
    line(depth, "while ({}) {{", again);
    step(depth + 1, meta.place);
    const std::string holds = test();
    line(depth + 1, "{} = go && {};", again, holds);
    line(depth + 1, "if ({}) {{", again);
    nodes(meta.body, depth + 2);
    line(depth + 1, "}}");
    line(depth, "}}");
  }

  const Tree& tree_;
  const MetaProgram& meta_;
  const EmitOptions& options_;
  std::vector<bool> held_, registers_;
  KernelWriter writer_;
  std::optional<uint32_t> block_;
  uint32_t names_ = 0;
  uint64_t scratch_ = 0;
};

}  // namespace

EmittedProgram emit_group(const Tree& tree, const MetaProgram& meta, const EmitOptions& options) {
  return GroupWriter(tree, meta, options).run();
}

}  // namespace lanewise::pram
