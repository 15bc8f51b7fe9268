#include "pram/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "input/read_file.h"
#include "pram/edge_table.h"
#include "pram/inputs/numbers.h"

namespace lanewise::cli::pram_command {

namespace {

using pram::Array;
using pram::Type;

constexpr std::string_view kGenerators[] = {"random", "shuffle", "ascending", "descending", "constant"};

/// "random:1000:2" as a word and numbers; nothing for other strings.
struct Generator {
  std::string_view name;
  std::vector<int64_t> numbers;
};

std::optional<Generator> parse_generator(std::string_view text) {
  Generator generator;
  const size_t colon = text.find(':');
  generator.name = text.substr(0, colon);
  if (colon == std::string_view::npos || generator.name.empty() || generator.name[0] < 'a' ||
      generator.name[0] > 'z') {
    return std::nullopt;
  }
  for (size_t at = colon + 1;;) {
    const size_t end = std::min(text.find(':', at), text.size());
    int64_t number = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + end, number);
    if (read.ec != std::errc() || read.ptr != text.data() + end) {
      throw UserError(fmt::format("'{}': separate the numbers by ':'", text));
    }
    generator.numbers.push_back(number);
    if (end == text.size()) return generator;
    at = end + 1;
  }
}

/// The declaration of an input.
struct Wanted {
  Type type;
  size_t dimensions;
};

std::optional<Wanted> find_input(const pram::Program& program, std::string_view name) {
  for (const pram::Parameter& parameter : program.tree().parameters) {
    if (parameter.name == name && parameter.kind == pram::Parameter::Kind::kInput)
      return Wanted{parameter.type, 0};
  }
  for (const pram::Variable& variable : program.tree().variables) {
    if (variable.name == name && variable.given()) return Wanted{variable.type, variable.extents.size()};
  }
  return std::nullopt;
}

Array generate(const Generator& generator, const Wanted& wanted, uint64_t seed, const std::string& what) {
  constexpr int64_t kMost = int64_t{1} << 32;
  const bool constant = generator.name == "constant";
  const size_t expected = wanted.dimensions + (constant ? 1 : 0);
  if (generator.numbers.size() != expected) {
    throw UserError(
        fmt::format("{}: {} takes {} number{}", what, generator.name, expected, expected == 1 ? "" : "s"));
  }
  Array array{Type::kInt, {}, {}};
  int64_t cells = 1;
  for (size_t i = 0; i < wanted.dimensions; ++i) {
    const int64_t extent = generator.numbers[i];
    if (extent < 0 || __builtin_mul_overflow(cells, extent, &cells) || cells > kMost) {
      throw UserError(fmt::format("{}: too many numbers", what));
    }
    array.extents.push_back(extent);
  }
  array.words.resize(static_cast<size_t>(cells));
  Random random(seed);
  const bool shuffle = generator.name == "shuffle";
  if (shuffle || generator.name == "ascending") {
    std::iota(array.words.begin(), array.words.end(), 0);
  } else if (generator.name == "descending") {
    for (int64_t i = 0; i < cells; ++i) array.words[static_cast<size_t>(i)] = cells - 1 - i;
  } else if (constant) {
    std::fill(array.words.begin(), array.words.end(), generator.numbers.back());
  } else if (generator.name == "random") {
    const uint64_t bound = wanted.type == Type::kBool ? 2 : 1000;
    for (pram::Word& word : array.words) word = static_cast<int64_t>(random.below(bound));
  } else {
    throw UserError(fmt::format("{}: there is no generator '{}'; there are {}", what, generator.name,
                                fmt::join(kGenerators, ", ")));
  }
  for (size_t i = array.words.size(); shuffle && i > 1; --i)
    std::swap(array.words[i - 1], array.words[random.below(i)]);
  if (wanted.type == Type::kBool) {
    array.type = Type::kBool;
    for (pram::Word& word : array.words) word = word != 0 ? 1 : 0;
  }
  return array;
}

std::vector<std::string> input_names(const pram::Program& program) {
  std::vector<std::string> names;
  for (const pram::Parameter& parameter : program.tree().parameters) {
    if (parameter.kind == pram::Parameter::Kind::kInput) names.push_back(parameter.name);
  }
  for (const pram::Variable& variable : program.tree().variables) {
    if (variable.given()) names.push_back(variable.name);
  }
  return names;
}

}  // namespace

namespace {}  // namespace

graph::Graph read_graph_input(const std::string& given, uint64_t seed, MemoryBudget& budget) {
  if (given.ends_with(".parquet") || given.ends_with(".csv")) return read_edge_table(given, budget);
  const std::optional<Generator> generator = parse_generator(given);
  if (!generator) return graph::read_graph(read_file(given), given, &budget);
  const auto is = [&](std::string_view name, size_t numbers) {
    return generator->name == name && generator->numbers.size() == numbers;
  };
  const std::vector<int64_t>& numbers = generator->numbers;
  if (is("random", 2)) return graph::random_graph(numbers[0], numbers[1], seed);
  if (is("grid", 2)) return graph::grid_graph(numbers[0], numbers[1]);
  if (is("kronecker", 1)) return graph::kronecker_graph(numbers[0], seed);
  if (is("tree", 1)) return graph::tree_graph(numbers[0], seed);
  if (is("bipartite", 3)) return graph::bipartite_graph(numbers[0], numbers[1], numbers[2], seed);
  throw UserError(fmt::format("'{}' is not a graph; generators are {}", given, kGraphGenerators));
}

pram::Arrays read_inputs(const pram::Program& program, const std::vector<std::string>& given,
                         const std::string& graph, uint64_t seed, MemoryBudget& budget) {
  pram::Arrays inputs;
  if (!graph.empty()) {
    const graph::Graph read = read_graph_input(graph, seed, budget);
    for (const std::string& name : input_names(program)) {
      if (auto array = pram::graph_input(read, name, find_input(program, name)->dimensions)) {
        inputs.emplace(name, std::move(*array));
      }
    }
  }
  std::set<std::string> names;
  for (const std::string& input : given) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos)
      throw UserError(fmt::format("'{}' is not an input; expected NAME=VALUES", input));
    const std::string name = input.substr(0, equals);
    const std::string values = input.substr(equals + 1);
    const std::optional<Wanted> wanted = find_input(program, name);
    if (!wanted) {
      const std::vector<std::string> known = input_names(program);
      throw UserError(fmt::format("{} has no input '{}'; its inputs: {}", program.file(), name,
                                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    if (!names.insert(name).second) throw UserError(fmt::format("the input '{}' is given twice", name));
    if (values.starts_with('@')) {
      const std::string path = values.substr(1);
      inputs[name] = pram::read_numbers(read_file(path), wanted->type, wanted->dimensions, path);
    } else if (const auto generator = parse_generator(values)) {
      inputs[name] = generate(*generator, *wanted, seed, name);
    } else if (std::ranges::find(kGenerators, values) != std::end(kGenerators)) {
      throw UserError(fmt::format("{}: the generator '{}' needs a size, for example {}:8{}", name, values,
                                  values, values == "constant" ? ":1" : ""));
    } else {
      inputs[name] = pram::read_numbers(values, wanted->type, wanted->dimensions, name);
    }
  }
  return inputs;
}

}  // namespace lanewise::cli::pram_command
