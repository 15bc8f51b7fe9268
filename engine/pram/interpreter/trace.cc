#include "pram/interpreter/trace.h"

#include <fmt/format.h>

#include <cmath>

namespace lanewise::pram {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// JSON has no infinity and no NaN: they are texts.
std::string value_of(Type type, Word word) {
  const std::string text = to_text(type, word);
  return type == Type::kReal && !std::isfinite(real_of(word)) ? quoted(text) : text;
}

std::string start_of(const Interpreter& interpreter) {
  const Tree& tree = interpreter.program().tree();
  std::string parameters;
  for (size_t i = 0; i < tree.parameters.size(); ++i) {
    parameters += fmt::format("{}{}:{}", i == 0 ? "" : ",", quoted(tree.parameters[i].name),
                              value_of(tree.parameters[i].type, interpreter.memory().parameters[i]));
  }
  std::string variables;
  for (size_t i = 0; i < tree.variables.size(); ++i) {
    const Array& array = interpreter.memory().variables[i];
    std::string values;
    for (const Word word : array.words) values += (values.empty() ? "" : ",") + value_of(array.type, word);
    variables +=
        fmt::format(R"({}{{"name":{},"type":"{}","extents":[{}],"values":[{}]}})", i == 0 ? "" : ",",
                    quoted(tree.variables[i].name), name(array.type), fmt::join(array.extents, ","), values);
  }
  return fmt::format(R"({{"program":{},"mode":"{}","parameters":{{{}}},"variables":[{}]}})",
                     quoted(interpreter.program().file()), to_text(tree.mode, tree.combine), parameters,
                     variables);
}

std::string change_of(const Interpreter& interpreter, const Change& change) {
  const Tree& tree = interpreter.program().tree();
  const Type type = change.shared ? tree.variables[change.index].type : tree.privates[change.index].type;
  std::string where;
  if (change.shared) {
    const std::vector<int64_t>& extents = interpreter.memory().variables[change.index].extents;
    std::string cell;
    if (extents.size() == 1) cell = fmt::format("{}", change.cell);
    if (extents.size() == 2) {
      const auto columns = static_cast<uint64_t>(extents[1]);
      cell = fmt::format("{},{}", change.cell / columns, change.cell % columns);
    }
    where = fmt::format(R"("variable":{},"cell":[{}])", quoted(tree.variables[change.index].name), cell);
  } else {
    where =
        fmt::format(R"("private":{},"processor":{})", quoted(tree.privates[change.index].name), change.cell);
  }
  return fmt::format(R"({{{},"before":{},"after":{}}})", where, value_of(type, change.before),
                     value_of(type, change.after));
}

std::string step_of(const Interpreter& interpreter) {
  std::string changes;
  for (const Change& change : interpreter.changes()) {
    changes += (changes.empty() ? "" : ",") + change_of(interpreter, change);
  }
  const Statement& statement = *interpreter.last();
  return fmt::format(
      R"({{"step":{},"line":{},"column":{},"kind":"{}","active":{},"work":{},"depth":{},"changes":[{}]}})",
      interpreter.cost().steps, statement.place.line, statement.place.column,
      statement.kind == Statement::Kind::kAssign ? "assign" : "test", interpreter.last_active(),
      interpreter.cost().work, interpreter.cost().depth, changes);
}

}  // namespace

void trace(Interpreter& interpreter, const std::function<void(std::string_view)>& write) {
  interpreter.keep_history(1);
  write(start_of(interpreter) + "\n");
  try {
    while (interpreter.step()) write(step_of(interpreter) + "\n");
  } catch (const RunError& error) {
    write(fmt::format(R"({{"error":{},"step":{},"processor":{}}})", quoted(error.what()), error.step(),
                      error.processor()) +
          "\n");
    throw;
  }
  const Cost& cost = interpreter.cost();
  write(fmt::format(R"({{"end":true,"steps":{},"work":{},"depth":{},"peak":{}}})", cost.steps, cost.work,
                    cost.depth, cost.peak) +
        "\n");
}

}  // namespace lanewise::pram
