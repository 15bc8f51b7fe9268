#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"

namespace lanewise::graph {

namespace {

/// Lines and their words.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The words of the next line that has some and is no comment; false at the end. A ':' is a word.
  bool next(std::vector<std::string_view>& words) {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      split(line, words);
      if (!words.empty() && words[0][0] != '#' && words[0][0] != '%') return true;
    }
    return false;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(fmt::format("{}:{}: {}", file_, line_, message));
  }
  int64_t integer(std::string_view word) const {
    int64_t value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size()) {
      fail(fmt::format("'{}' is no integer", word.substr(0, 40)));
    }
    return value;
  }
  double real(std::string_view word) const {
    double value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size()) {
      fail(fmt::format("'{}' is no number", word.substr(0, 40)));
    }
    return value;
  }

  static void split(std::string_view line, std::vector<std::string_view>& words) {
    words.clear();
    for (size_t at = 0; at < line.size();) {
      const char c = line[at];
      if (c == ' ' || c == '\t' || c == '\r' || c == ',') {
        ++at;
        continue;
      }
      size_t end = at + 1;
      if (c != ':') {
        while (end < line.size() && std::string_view(" \t\r,:").find(line[end]) == std::string_view::npos)
          ++end;
      }
      words.push_back(line.substr(at, end - at));
      at = end;
    }
  }

 private:
  std::string_view text_;
  const std::string& file_;
  size_t line_ = 0;
};

/// What the first line of a Matrix Market file says of its entries.
struct MatrixKind {
  bool pattern = false;    ///< entries have no value
  bool symmetric = false;  ///< of entries (i, j) and (j, i) one is stored
  bool skew = false;       ///< the other one has its value with the other sign
};

MatrixKind read_matrix_kind(std::string_view line, const std::string& file) {
  std::string header(line);
  std::transform(header.begin(), header.end(), header.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::vector<std::string_view> words;
  Reader::split(header, words);
  const auto fail = [&](const std::string& message) {
    throw UserError(fmt::format("{}:1: {}", file, message));
  };
  if (words.size() != 5) fail("the header is '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  if (words[1] != "matrix" || words[2] != "coordinate") {
    fail("only sparse matrices (matrix coordinate) are graphs");
  }
  const std::string_view field = words[3];
  const std::string_view symmetry = words[4];
  if (field != "real" && field != "double" && field != "integer" && field != "pattern") {
    fail(fmt::format("weights are real, integer or pattern, not '{}'", field));
  }
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
    fail(fmt::format("a graph's matrix is general, symmetric or skew-symmetric, not '{}'", symmetry));
  }
  const bool skew = symmetry == "skew-symmetric";
  return {field == "pattern", skew || symmetry == "symmetric", skew};
}

Graph read_matrix_market(std::string_view text, const std::string& file) {
  const auto [pattern, symmetric, skew] = read_matrix_kind(text.substr(0, text.find('\n')), file);
  Reader reader(text, file);
  std::vector<std::string_view> words;
  if (!reader.next(words) || words.size() != 3) reader.fail("rows, columns and entries are missing");
  const int64_t rows = reader.integer(words[0]);
  const int64_t columns = reader.integer(words[1]);
  const int64_t entries = reader.integer(words[2]);
  if (rows < 0 || columns < 0 || entries < 0) reader.fail("a size is negative");
  Graph graph;
  graph.vertices = std::max(rows, columns);
  const auto add = [&](int64_t from, int64_t to, double weight) {
    graph.source.push_back(from);
    graph.target.push_back(to);
    if (!pattern) graph.weight.push_back(weight);
  };
  int64_t found = 0;
  for (; reader.next(words); ++found) {
    if (words.size() < (pattern ? 2u : 3u)) reader.fail("an entry has a row, a column and a value");
    const int64_t from = reader.integer(words[0]) - 1;
    const int64_t to = reader.integer(words[1]) - 1;
    if (from < 0 || from >= rows || to < 0 || to >= columns)
      reader.fail("the entry is outside of the matrix");
    const double weight = pattern ? 1 : reader.real(words[2]);
    add(from, to, weight);
    if (symmetric && from != to) add(to, from, skew ? -weight : weight);
  }
  if (found != entries) reader.fail(fmt::format("{} entries, where the header says {}", found, entries));
  return graph;
}

}  // namespace

bool Graph::whole_weights() const {
  return std::all_of(weight.begin(), weight.end(),
                     [](double value) { return std::floor(value) == value && std::fabs(value) < 0x1p62; });
}

void number_vertices(Graph& graph, std::vector<int64_t> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  graph.vertices = static_cast<int64_t>(labels.size());
  for (std::vector<int64_t>* ends : {&graph.source, &graph.target}) {
    for (int64_t& end : *ends) end = std::lower_bound(labels.begin(), labels.end(), end) - labels.begin();
  }
  graph.labels = std::move(labels);
}

Graph read_graph(std::string_view text, const std::string& file) {
  if (text.starts_with("%%MatrixMarket")) return read_matrix_market(text, file);
  Reader reader(text, file);
  Graph graph;
  std::vector<std::string_view> words;
  std::vector<int64_t> labels;
  std::optional<size_t> width;  // of an edge's line; 0: lines of neighbours
  while (reader.next(words)) {
    const bool neighbours = words.size() > 1 && words[1] == ":";
    if (!width) width = neighbours ? 0 : words.size();
    if (neighbours != (*width == 0)) reader.fail("lines 'v : u w' and lines 'source target' are mixed");
    const int64_t vertex = reader.integer(words[0]);
    labels.push_back(vertex);
    if (neighbours) {
      for (size_t i = 2; i < words.size(); ++i) {
        graph.source.push_back(vertex);
        graph.target.push_back(reader.integer(words[i]));
        labels.push_back(graph.target.back());
      }
      continue;
    }
    if (words.size() != *width || words.size() < 2 || words.size() > 3) {
      reader.fail("a line is 'source target', 'source target weight' or 'v : u w'; all of one kind");
    }
    graph.source.push_back(vertex);
    graph.target.push_back(reader.integer(words[1]));
    labels.push_back(graph.target.back());
    if (words.size() == 3) graph.weight.push_back(reader.real(words[2]));
  }
  number_vertices(graph, std::move(labels));
  return graph;
}

}  // namespace lanewise::graph
