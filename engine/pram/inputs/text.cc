#include "pram/inputs/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "graph/graph.h"
#include "pram/inputs/graph.h"
#include "pram/inputs/numbers.h"

namespace lanewise::pram {

namespace {

/// The text of one input, after as many empty lines as precede it, so that errors name the right line.
struct Section {
  std::string name;
  size_t line = 0;
  std::string text;
};

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Start of the values in "NAME = values"; 0 if the line does not have that form.
size_t after_name(std::string_view line, std::string& name) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || !begins_name(line[at])) return 0;
  const size_t begin = at;
  while (at < line.size() && (begins_name(line[at]) || (line[at] >= '0' && line[at] <= '9'))) ++at;
  name = line.substr(begin, at - begin);
  at = line.find_first_not_of(" \t", at);
  return at != std::string_view::npos && line[at] == '=' ? at + 1 : 0;
}

std::vector<Section> sections_of(std::string_view text) {
  std::vector<Section> sections;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string name;
    const size_t values = after_name(line, name);
    const bool empty = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (values != 0 || (sections.empty() && !empty)) {
      sections.push_back({values != 0 ? name : "", number + 1, std::string(number, '\n')});
    }
    if (!sections.empty()) sections.back().text += std::string(line.substr(values)) + '\n';
    ++number;
  }
  return sections;
}

/// Matrix Market starts with its header; errors still name the line of the whole text.
graph::Graph read_graph_section(const Section& section, MemoryBudget* budget) {
  const size_t begin = std::min(section.text.find_first_not_of(" \t\r\n"), section.text.size());
  const std::string_view text = std::string_view(section.text).substr(begin);
  if (!text.starts_with("%%MatrixMarket")) return graph::read_graph(section.text, "Input", budget);
  try {
    return graph::read_graph(text, "", budget);
  } catch (const UserError& error) {
    const std::string message = error.what();  // ":LINE: ..."
    const size_t end = message.find(':', 1);
    const auto above =
        std::count(section.text.begin(), section.text.begin() + static_cast<ptrdiff_t>(begin), '\n');
    throw UserError(
        fmt::format("Input:{}{}", std::stol(message.substr(1, end - 1)) + above, message.substr(end)));
  }
}

/// A short text may be a graph with a large matrix.
void check_matrix(const graph::Graph& graph, const Input& input, MemoryBudget* budget) {
  if (input.from_graph && input.extents.size() == 2) {
    const auto vertices = static_cast<size_t>(graph.vertices);
    Reservation(budget, "the matrix of a graph").resize(vertices * vertices * sizeof(Word));
  }
}

}  // namespace

std::vector<Input> inputs_of(const Program& program) {
  graph::Graph tree;  // has every input of a graph, including `parent`
  tree.vertices = 2;
  tree.source = {0};
  tree.target = {1};
  const Tree& declared = program.tree();
  std::vector<Input> inputs;
  const auto add = [&](const std::string& name, Type type, const std::vector<ExprPtr>& extents) {
    Input input{name, type, {}, graph_input(tree, name, extents.size()).has_value()};
    for (const ExprPtr& extent : extents) input.extents.push_back(to_text(*extent, declared));
    inputs.push_back(std::move(input));
  };
  for (const Parameter& parameter : declared.parameters) {
    if (parameter.kind == Parameter::Kind::kInput) add(parameter.name, parameter.type, {});
  }
  for (const Variable& variable : declared.variables) {
    if (variable.given()) add(variable.name, variable.type, variable.extents);
  }
  return inputs;
}

TextInputs read_text_inputs(const Program& program, std::string_view text, MemoryBudget* budget) {
  const std::vector<Input> inputs = inputs_of(program);
  const auto is_array = [](const Input& input) { return !input.extents.empty(); };
  const bool graph = std::any_of(inputs.begin(), inputs.end(),
                                 [&](const Input& input) { return is_array(input) && input.from_graph; });
  TextInputs read_in;
  Arrays& arrays = read_in.arrays;
  std::vector<Section> sections = sections_of(text);
  for (Section& section : sections) {
    if (section.name.empty()) {
      const auto only = std::find_if(inputs.begin(), inputs.end(), is_array);
      const auto arrays_there = std::count_if(inputs.begin(), inputs.end(), is_array);
      if (!graph && arrays_there != 1) {
        throw UserError(fmt::format("Input:{}: write NAME = values", section.line));
      }
      section.name = graph ? "graph" : only->name;
    }
    if (section.name != "graph") continue;
    const graph::Graph read = read_graph_section(section, budget);
    read_in.labels = read.labels;
    for (const Input& input : inputs) {
      check_matrix(read, input, budget);
      if (auto array = graph_input(read, input.name, input.extents.size())) {
        arrays[input.name] = std::move(*array);
      }
    }
  }
  for (const Section& section : sections) {
    if (section.name == "graph") continue;
    const auto input = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const Input& candidate) { return candidate.name == section.name; });
    if (input == inputs.end()) {
      throw UserError(fmt::format("Input:{}: the program has no input '{}'", section.line, section.name));
    }
    arrays[input->name] = read_numbers(section.text, input->type, input->extents.size(), "Input");
  }
  return read_in;
}

}  // namespace lanewise::pram
