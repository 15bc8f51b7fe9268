#include <fmt/format.h>

#include <algorithm>

#include "pram/meta/meta.h"

namespace lanewise::pram {

namespace {

class Printer {
 public:
  explicit Printer(const Tree& tree) : tree_(tree) {}

  std::vector<MetaLine> run(const MetaProgram& meta) {
    nodes(meta.body, 0);
    return std::move(lines_);
  }

 private:
  void add(const Place& place, size_t depth, const std::string& text) {
    lines_.push_back({place.line, std::string(2 * depth, ' ') + text});
  }
  void nodes(const std::vector<Meta>& list, size_t depth) {
    for (const Meta& meta : list) node(meta, depth);
  }

  std::string assignment(const Statement& statement) const {
    std::string left;
    std::string right;
    for (size_t i = 0; i < statement.targets.size(); ++i) {
      left += (i == 0 ? "" : ", ") + to_text(statement.targets[i], tree_);
      right += (i == 0 ? "" : ", ") + to_text(*statement.values[i], tree_);
    }
    return left + " = " + right;
  }

  /// The statements of a kernel, or of the host.
  void statements(const std::vector<Statement>& list, size_t depth) {
    for (const Statement& statement : list) {
      if (statement.kind == Statement::Kind::kAssign) {
        add(statement.place, depth, assignment(statement));
        continue;
      }
      const bool repeats = statement.kind == Statement::Kind::kWhile;
      add(statement.place, depth,
          fmt::format("{} {}:", repeats ? "while" : "if", to_text(*statement.condition, tree_)));
      statements(statement.body, depth + 1);
      if (!statement.otherwise.empty()) add(statement.place, depth, "else:");
      statements(statement.otherwise, depth + 1);
    }
  }

  /// "p" or "i, j": the name of the current block's processors.
  std::string processor() const {
    std::string result;
    for (const Block::Dimension& dimension : tree_.blocks[block_].dimensions) {
      result += (result.empty() ? "" : ", ") + dimension.name;
    }
    return result;
  }

  void kernel(const Meta& meta, size_t depth) {
    const std::string who = fmt::format(
        "for {} {} in T{}:", meta.writing == Writing::kInPlace ? "each" : "all", processor(), meta.from);
    if (meta.statements.size() == 1 && meta.statements[0].kind == Statement::Kind::kAssign) {
      return add(meta.place, depth, fmt::format("{} {}", who, assignment(meta.statements[0])));
    }
    add(meta.place, depth, who);
    statements(meta.statements, depth + 1);
  }

  void node(const Meta& meta, size_t depth) {
    const std::string condition = meta.condition ? to_text(*meta.condition, tree_) : "";
    switch (meta.kind) {
      case Meta::Kind::kHost:
        return statements(meta.statements, depth);
      case Meta::Kind::kHostIf:
        add(meta.place, depth, fmt::format("if {}:", condition));
        nodes(meta.body, depth + 1);
        if (!meta.otherwise.empty()) add(meta.place, depth, "else:");
        return nodes(meta.otherwise, depth + 1);
      case Meta::Kind::kHostWhile:
        add(meta.place, depth, fmt::format("while {}:", condition));
        return nodes(meta.body, depth + 1);
      case Meta::Kind::kBatch:
        add(meta.place, depth, "in few launches:");
        return nodes(meta.body, depth + 1);
      case Meta::Kind::kAll: {
        block_ = meta.block;
        std::string dimensions;
        for (const Block::Dimension& dimension : tree_.blocks[block_].dimensions) {
          dimensions += fmt::format("{}{} < {}", dimensions.empty() ? "" : ", ", dimension.name,
                                    to_text(*dimension.extent, tree_));
        }
        add(meta.place, depth, fmt::format("T0 = all {}", dimensions));
        return nodes(meta.body, depth);
      }
      case Meta::Kind::kKernel:
        return kernel(meta, depth);
      case Meta::Kind::kSplit:
        add(meta.place, depth,
            fmt::format("T{} = {{{} in T{} : {}}}", meta.to, processor(), meta.from, condition));
        if (meta.rest) {
          add(meta.place, depth, fmt::format("T{} = T{} without T{}", *meta.rest, meta.from, meta.to));
        }
        nodes(meta.body, depth);
        return nodes(meta.otherwise, depth);
      case Meta::Kind::kRepeat:
        add(meta.place, depth, fmt::format("T{} = T{}", meta.to, meta.from));
        add(meta.place, depth,
            fmt::format("while T{0} = {{{1} in T{0} : {2}}} is not empty:", meta.to, processor(), condition));
        return nodes(meta.body, depth + 1);
    }
  }

  const Tree& tree_;
  uint32_t block_ = 0;
  std::vector<MetaLine> lines_;
};

/// Characters of UTF-8.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::vector<MetaLine> print(const MetaProgram& meta, const Tree& tree) { return Printer(tree).run(meta); }

std::string explain(const Program& program, const Passes& chosen) {
  constexpr size_t kWidest = 70;
  const MetaProgram meta = compile(program.tree(), chosen);
  const std::vector<MetaLine> lines = print(meta, program.tree());
  std::vector<std::string_view> source;
  for (std::string_view rest = program.text(); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    source.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  size_t column = 0;
  for (const std::string_view line : source) column = std::max(column, std::min(width(line), kWidest));

  std::string text;
  const auto add = [&](size_t number, std::string_view left, std::string_view right) {
    const std::string shown = number == 0 ? "" : fmt::format("{}", number);
    text += fmt::format("{:>4}  {}", shown, left);
    if (!right.empty()) {
      text += std::string(column - std::min(width(left), column), ' ') + fmt::format("  | {}", right);
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  };
  // The meta-program follows its source: each of its lines is next to its source line, or below.
  size_t next = 1;
  for (const MetaLine& line : lines) {
    for (; next < line.line && next <= source.size(); ++next) add(next, source[next - 1], "");
    const bool own = next == line.line && next <= source.size();
    add(own ? next : 0, own ? source[next - 1] : "", line.text);
    if (own) ++next;
  }
  for (; next <= source.size(); ++next) add(next, source[next - 1], "");
  if (!meta.notes.empty()) text += '\n';
  for (const MetaNote& note : meta.notes) {
    text += fmt::format("{:>4}  {:<8}  {}\n", note.line, passes()[static_cast<size_t>(note.pass)].name,
                        note.text);
  }
  return text;
}

}  // namespace lanewise::pram
