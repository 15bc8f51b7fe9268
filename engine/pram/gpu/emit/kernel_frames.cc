#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "pram/gpu/emit/kernel_writer.h"
#include "pram/meta/shape.h"

/// The code around the statements of a kernel: its head, its parameters, its loop over processors.
namespace lanewise::pram {

namespace {

/// A long line, broken after commas.
std::string wrapped(const std::string& line) {
  constexpr size_t kWidest = 110;
  std::string text;
  for (size_t begin = 0; begin < line.size();) {
    const std::string indent = begin == 0 ? "" : "    ";
    size_t end = line.size();
    if (end - begin + indent.size() > kWidest) {
      const size_t comma = line.rfind(", ", begin + kWidest - indent.size());
      if (comma != std::string::npos && comma > begin) end = comma + 2;
    }
    const bool last = end == line.size();
    text += indent + line.substr(begin, end - begin - (last ? 0 : 1)) + (last ? "" : "\n");
    begin = end;
  }
  return text;
}

/// Indents each line by `by` columns.
std::string indented(const std::string& lines, size_t by) {
  std::string text;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin) + 1;
    text += std::string(by, ' ') + lines.substr(begin, end - begin);
    begin = end;
  }
  return text;
}

}  // namespace

std::string KernelWriter::declarations() const {
  std::string text;
  for (const auto& [index, written] : locals_) {
    const Private& variable = tree_.privates[index];
    const bool real = variable.type == Type::kReal;
    const std::string name = c_name(variable.name, fmt::format("x{}", index));
    const bool needed = !in_register_[index] && (loaded_.empty() || loaded_[index]);
    const std::string held = name + "_all[who]";
    const std::string given = real ? "as_real(" + held + ")" : held;
    text += fmt::format("  {} {} = {};\n", type_of(variable.type), name, needed ? given : "0");
  }
  return text;
}

std::string KernelWriter::stores() const {
  std::string text;
  for (const auto& [index, written] : locals_) {
    if (!written || in_register_[index]) continue;
    const Private& variable = tree_.privates[index];
    const std::string name = c_name(variable.name, fmt::format("x{}", index));
    const bool real = variable.type == Type::kReal;
    text += fmt::format("  {}_all[who] = {};\n", name, real ? "as_word(" + name + ")" : name);
  }
  return text;
}

std::string KernelWriter::numbers() {
  std::string text;
  if (!block_) return text;
  const std::vector<Block::Dimension>& dimensions = tree_.blocks[*block_].dimensions;
  // The last dimension varies fastest. All numbers fit 32 bits, whose division is faster.
  std::string rest = "(uint)who";
  for (size_t d = dimensions.size(); d-- > 0;) {
    const std::string name = c_name(dimensions[d].name, fmt::format("p{}", d));
    if (d == 0) {
      text += fmt::format("  const word {} = {};\n", name, dimensions.size() == 1 ? "who" : rest);
      break;
    }
    const std::string extent = argument(Role::kDimension, 0, static_cast<uint32_t>(d));
    text += fmt::format("  const word {} = {} % (uint){};\n", name, rest, extent);
    rest = fmt::format("{} / (uint){}", rest, extent);
  }
  return text;
}

std::string KernelWriter::parameters() {
  std::string text;
  for (const KernelArgument& one : std::vector<KernelArgument>(arguments_)) {
    const std::string name = argument(one.role, one.index, one.dimension);
    const bool address =
        one.role == Role::kVariable || one.role == Role::kColumn || one.role == Role::kReaders;
    text += fmt::format(", {} {}", address ? "GLOBAL word*" : "word", name);
  }
  return text;
}

std::string KernelWriter::finish(EmittedKernel& kernel, const std::string& first, const std::string& before,
                                 const std::string& last) {
  const std::string declared = numbers();
  if (block_) {
    for (const auto& [index, written] : locals_) {
      if (!in_register_[index]) argument(Role::kColumn, index);
    }
  }
  const std::string given = parameters();
  kernel.arguments = arguments_;
  const std::string head = wrapped(fmt::format("KERNEL {}({}{}) {{", kernel.name, first, given));
  return fmt::format("{}\n{}{}{}  int bad = 0;\n{}{}{}}}\n", head, before, declared, declarations(), body_,
                     stores(), last);
}

std::string KernelWriter::step(EmittedStep& step, std::vector<KernelArgument>& constant) {
  std::string given;
  for (const KernelArgument& one : std::vector<KernelArgument>(arguments_)) {
    if (one.role == Role::kControl || one.role == Role::kDimension) {
      given += fmt::format("  const word {} = row[{}];\n", argument(one.role, one.index, one.dimension),
                           kStepHead + step.given.size());
      step.given.push_back(one);
    } else if (std::find(constant.begin(), constant.end(), one) == constant.end()) {
      constant.push_back(one);
    }
  }
  return fmt::format(
      "case {}:\n  for (word who = POSITION; who < row[1]; who += GROUPS * 256) {{\n{}  break;\n",
      step.number, indented(given + numbers() + declarations() + body_ + stores(), 2) + "  }\n");
}

std::string KernelWriter::window_step(const EmittedStep& step, std::vector<KernelArgument>& constant) {
  std::string given;
  const std::string declared = numbers();
  for (const auto& [index, written] : locals_) {
    if (!in_register_[index]) argument(Role::kColumn, index);
  }
  for (const KernelArgument& one : std::vector<KernelArgument>(arguments_)) {
    if (one.role == Role::kControl || one.role == Role::kDimension) {
      const auto place = std::find(step.given.begin(), step.given.end(), one) - step.given.begin();
      given += fmt::format("  const word {} = row[{}];\n", argument(one.role, one.index, one.dimension),
                           kStepHead + static_cast<size_t>(place));
    } else if (std::find(constant.begin(), constant.end(), one) == constant.end()) {
      constant.push_back(one);
    }
  }
  for (size_t i = 0; i < step.window->cells.size(); ++i) {
    given += fmt::format("  const word cell_of_{} = row[{}];\n", i, kStepHead + step.given.size() + i);
  }
  return fmt::format(
      "case {}:\n  for (word who = first + MEMBER; who < last; who += 256) {{\n"
      "    const uint own = (uint)(who - first) * (uint)row[3];\n{}  break;\n",
      step.number, indented(given + declared + declarations() + body_ + stores(), 2) + "  }\n");
}

std::string KernelWriter::batch(EmittedKernel& kernel, const std::vector<KernelArgument>& constant,
                                const std::string& steps) {
  arguments_ = constant;
  const std::string given = parameters();
  kernel.arguments = arguments_;
  const std::string head =
      wrapped(fmt::format("KERNEL {}(word from, word to, GLOBAL const word* table, GLOBAL word* "
                          "arrived, word arrived_before, "
                          "GLOBAL word* status{}) {{",
                          kernel.name, given));
  return head + "\n  int bad = 0;\n  for (word i = from; i < to; i++) {\n" +
         fmt::format("    GLOBAL const word* row = table + i * {};\n", kernel.row) +
         "    switch (row[0]) {\n" + indented(steps, 6) +
         "    }\n"
         "    WAIT_FOR_STEP(GROUPS == 1, arrived, arrived_before + (i - from + 1) * GROUPS);\n"
         "  }\n  if (bad) status[0] = 1;\n}\n";
}

std::string KernelWriter::windows(EmittedWindows& windows, const std::vector<KernelArgument>& constant,
                                  const std::string& steps) {
  arguments_ = constant;
  std::string first;
  std::string begin;
  std::string end;
  for (size_t i = 0; i < windows.held.size(); ++i) {
    const uint32_t variable = windows.held[i].variable;
    const std::string all = argument(Role::kVariable, variable);
    const std::string cells = argument(Role::kExtent, variable);
    first += fmt::format(", word {0}_from, word {0}_each, word {0}_first", all);
    begin += fmt::format(
        "  NEAR word* {0}_own = held + {1};\n"
        "  take_in({0}_own, {0}, begin, window, stride, offset, {0}_from, {2});\n",
        all, i * windows.most, cells);
    end += fmt::format(
        "  give_back({0}_own, {0}, begin, window, stride, offset, {0}_each, {0}_first, {1});\n", all, cells);
  }
  const std::string given = parameters();
  windows.kernel.arguments = arguments_;
  const std::string room =
      windows.held.empty() ? "" : fmt::format("  LOCAL word held[{}];\n", windows.held.size() * windows.most);
  return wrapped(fmt::format(
             "KERNEL {}(word from, word to, GLOBAL const word* table, word window, word stride, word offset, "
             "GLOBAL word* status{}{}) {{",
             windows.kernel.name, first, given)) +
         "\n" + room + "  const word begin = GROUP * window;\n  int bad = 0;\n" + begin +
         "  for (word i = from; i < to; i++) {\n    WAIT_FOR_GROUP();\n" +
         fmt::format("    GLOBAL const word* row = table + i * {};\n", windows.kernel.row) +
         "    const word first = GROUP * row[2], last = lesser(row[1], first + row[2]);\n"
         "    switch (row[0]) {\n" +
         indented(steps, 6) + "    }\n  }\n  WAIT_FOR_GROUP();\n" + end + "  if (bad) status[0] = 1;\n}\n";
}

std::string KernelWriter::group(EmittedGroup& group, uint64_t scratch) {
  std::string begin;
  std::string end;
  std::string at = fmt::format("held + {}", scratch);
  for (uint32_t i = 0; i < tree_.variables.size(); ++i) {
    const Variable& variable = tree_.variables[i];
    const std::string all = argument(Role::kVariable, i);
    std::string cells = "1";
    for (uint32_t d = 0; d < variable.extents.size(); ++d) {
      cells = (d == 0 ? "" : cells + " * ") + argument(Role::kExtent, i, d);
    }
    begin += fmt::format("  NEAR word* {0}_own = {1};\n  load_cells({0}_own, {0}, {2});\n", all, at, cells);
    if (variable.result()) end += fmt::format("  store_cells({0}_own, {0}, {1});\n", all, cells);
    at = fmt::format("{}_own + greater({}, 1)", all, cells);
  }
  // This kernel computes other values of the host itself.
  std::vector<KernelArgument> given;
  for (const KernelArgument& one : std::vector<KernelArgument>(arguments_)) {
    if (one.role == Role::kControl || one.role == Role::kDimension) {
      begin += fmt::format("  word {} = 0;\n", argument(one.role, one.index, one.dimension));
    } else if (one.role != Role::kLimit) {
      given.push_back(one);
    }
  }
  arguments_ = given;
  const std::string parameters_text = parameters();
  group.kernel.kind = KernelKind::kGroup;
  group.kernel.arguments = arguments_;
  const std::string head = wrapped(fmt::format("KERNEL {}(GLOBAL word* status, word limit, word seed{}) {{",
                                               group.kernel.name, parameters_text));
  return fmt::format(
      "{}\n  LOCAL word held[{}];\n  GROUP_WORD(found)\n  int bad = 0, go = 1;\n  word steps = 0, rounds = "
      "0, peak "
      "= 0;\n{}{}"
      "  WAIT_FOR_GROUP();\n{}"
      "  if (bad || steps > limit) status[{}] = 1;\n"
      "  if (MEMBER == 0) status[{}] = steps, status[{}] = peak;\n{}}}\n",
      head, scratch + group.most, begin, declarations(), body_, kFailed, kSteps, kPeak, end);
}

}  // namespace lanewise::pram
