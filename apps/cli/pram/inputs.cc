#include "pram/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <optional>

#include "api/session.h"
#include "base/error.h"
#include "base/random.h"
#include "pram/inputs/numbers.h"
#include "pram/library.h"

namespace lanewise::cli::pram_command {

namespace {

using pram::Array;
using pram::Type;

/// "random:1000:2" as a word and numbers; nothing if it does not look like that.
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
      throw UserError(fmt::format("'{}': numbers are separated by ':'", text));
    }
    generator.numbers.push_back(number);
    if (end == text.size()) return generator;
    at = end + 1;
  }
}

/// What an input of the program is.
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
      throw UserError(fmt::format("{}: so many numbers cannot be made", what));
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
    throw UserError(fmt::format(
        "{}: there is no generator '{}'; there are random, shuffle, ascending, descending, constant", what,
        generator.name));
  }
  for (size_t i = array.words.size(); shuffle && i > 1; --i)
    std::swap(array.words[i - 1], array.words[random.below(i)]);
  if (wanted.type == Type::kBool) {
    array.type = Type::kBool;
    for (pram::Word& word : array.words) word = word != 0 ? 1 : 0;
  }
  return array;
}

std::vector<std::string> inputs_of(const pram::Program& program) {
  std::vector<std::string> names;
  for (const pram::Parameter& parameter : program.tree().parameters) {
    if (parameter.kind == pram::Parameter::Kind::kInput) names.push_back(parameter.name);
  }
  for (const pram::Variable& variable : program.tree().variables) {
    if (variable.given()) names.push_back(variable.name);
  }
  return names;
}

/// f(value) for each row of a column without NULLs.
template <class T, class F>
void each_value(const Table& table, size_t column, const std::string& file, F f) {
  for (const Batch& batch : table.batches) {
    const Column& part = *batch.columns[column];
    const Column& held = part.dictionary ? *part.dictionary : part;
    if (part.nulls != 0) {
      throw UserError(fmt::format("{}: {} is NULL in some rows", file, table.schema[column].name));
    }
    for (int64_t row = 0; row < part.rows; ++row) {
      f(held.values.as<T>()[part.dictionary ? part.values.as<uint32_t>()[row] : row]);
    }
  }
}

graph::Graph read_table(const std::string& file) {
  Session session;
  std::string quoted = "'";
  for (const char c : file) quoted += std::string(c == '\'' ? 2 : 1, c);
  quoted += "'";
  bool weighted = false;
  for (const Field& field : session.run("SELECT * FROM " + quoted + " LIMIT 0", false).table.schema) {
    weighted = weighted || field.name == "weight";
  }
  const Table table =
      session
          .run(fmt::format("SELECT CAST(src AS BIGINT) AS src, CAST(dst AS BIGINT) AS dst{} FROM {}",
                           weighted ? ", CAST(weight AS DOUBLE) AS weight" : "", quoted),
               false)
          .table;
  graph::Graph graph;
  each_value<int64_t>(table, 0, file, [&](int64_t end) { graph.source.push_back(end); });
  each_value<int64_t>(table, 1, file, [&](int64_t end) { graph.target.push_back(end); });
  if (weighted) each_value<double>(table, 2, file, [&](double weight) { graph.weight.push_back(weight); });
  std::vector<int64_t> labels = graph.source;
  labels.insert(labels.end(), graph.target.begin(), graph.target.end());
  graph::number_vertices(graph, std::move(labels));
  return graph;
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in) text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in) throw UserError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return text;
}

pram::Program load_program(const std::string& name) {
  if (name.find('.') == std::string::npos && name.find('/') == std::string::npos && name != "-") {
    return pram::library_program(name);
  }
  return pram::Program::parse(read_file(name), name == "-" ? "program" : name);
}

graph::Graph read_graph_input(const std::string& given, uint64_t seed) {
  const auto ends = [&](const char* end) { return given.ends_with(end); };
  if (ends(".parquet") || ends(".csv")) return read_table(given);
  const std::optional<Generator> generator = parse_generator(given);
  if (!generator) return graph::read_graph(read_file(given), given);
  const auto is = [&](std::string_view name, size_t numbers) {
    return generator->name == name && generator->numbers.size() == numbers;
  };
  const std::vector<int64_t>& numbers = generator->numbers;
  if (is("random", 2)) return graph::random_graph(numbers[0], numbers[1], seed);
  if (is("grid", 2)) return graph::grid_graph(numbers[0], numbers[1]);
  if (is("kronecker", 1)) return graph::kronecker_graph(numbers[0], seed);
  if (is("tree", 1)) return graph::tree_graph(numbers[0], seed);
  if (is("bipartite", 3)) return graph::bipartite_graph(numbers[0], numbers[1], numbers[2], seed);
  throw UserError(fmt::format("'{}' is no graph; there are {}", given, kGraphGenerators));
}

pram::Arrays read_inputs(const pram::Program& program, const std::vector<std::string>& given,
                         const std::string& graph, uint64_t seed) {
  pram::Arrays inputs;
  if (!graph.empty()) {
    const graph::Graph read = read_graph_input(graph, seed);
    for (const std::string& name : inputs_of(program)) {
      if (auto array = pram::graph_input(read, name, find_input(program, name)->dimensions)) {
        inputs.emplace(name, std::move(*array));
      }
    }
  }
  for (const std::string& input : given) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos)
      throw UserError(fmt::format("'{}' is no input; give NAME=VALUES", input));
    const std::string name = input.substr(0, equals);
    const std::string values = input.substr(equals + 1);
    const std::optional<Wanted> wanted = find_input(program, name);
    if (!wanted) {
      const std::vector<std::string> names = inputs_of(program);
      throw UserError(fmt::format("{} has no input '{}'; its inputs: {}", program.file(), name,
                                  names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (values.starts_with('@')) {
      const std::string path = values.substr(1);
      inputs[name] = pram::read_numbers(read_file(path), wanted->type, wanted->dimensions, path);
    } else if (const auto generator = parse_generator(values)) {
      inputs[name] = generate(*generator, *wanted, seed, name);
    } else {
      inputs[name] = pram::read_numbers(values, wanted->type, wanted->dimensions, name);
    }
  }
  return inputs;
}

}  // namespace lanewise::cli::pram_command
