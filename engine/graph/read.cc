#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/real.h"
#include "base/size.h"

namespace lanewise::graph {

namespace {

constexpr std::string_view kBanner = "%%matrixmarket";

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

/// Lines and their words.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The words of the next line that is neither empty nor a comment; false at the end. A ':' is a word.
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
      fail(fmt::format("'{}' is not an integer", word.substr(0, 40)));
    }
    return value;
  }
  double real(std::string_view word) const {
    double value = 0;
    const auto read = real_from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size()) {
      fail(fmt::format("'{}' is not a number", word.substr(0, 40)));
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

constexpr size_t kVertexBytes = sizeof(int64_t);  // every algorithm keeps a number for each

/// The edges of a graph as they are read, within a budget.
class Edges {
 public:
  Edges(Graph& graph, MemoryBudget* budget) : graph_(graph), memory_(budget, "reading a graph") {}

  void add(int64_t from, int64_t to, std::optional<double> weight) {
    if (graph_.edges() == reserved_) {
      reserved_ += std::max<size_t>(reserved_ / 4, 1024);
      memory_.resize(reserved_ * kEdgeBytes);
    }
    graph_.source.push_back(from);
    graph_.target.push_back(to);
    if (weight) graph_.weight.push_back(*weight);
  }

 private:
  Graph& graph_;
  Reservation memory_;
  size_t reserved_ = 0;
};

/// The kind of entries, from the first line of a Matrix Market file.
struct MatrixKind {
  bool pattern = false;    ///< entries have no value
  bool symmetric = false;  ///< only one of the entries (i, j) and (j, i) is stored
  bool skew = false;       ///< the other entry has the opposite sign
};

MatrixKind read_matrix_kind(std::string_view line, const std::string& file) {
  const std::string header = in_lower_case(line);
  std::vector<std::string_view> words;
  Reader::split(header, words);
  const auto fail = [&](const std::string& message) {
    throw UserError(fmt::format("{}:1: {}", file, message));
  };
  if (words.size() != 5) fail("the header must be '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  if (words[1] != "matrix" || words[2] != "coordinate") {
    fail("expected a sparse matrix (matrix coordinate)");
  }
  const std::string_view field = words[3];
  const std::string_view symmetry = words[4];
  if (field != "real" && field != "double" && field != "integer" && field != "pattern") {
    fail(fmt::format("weights must be real, integer or pattern, not '{}'", field));
  }
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
    fail(fmt::format("the matrix of a graph must be general, symmetric or skew-symmetric, not '{}'",
                     symmetry));
  }
  const bool skew = symmetry == "skew-symmetric";
  return {field == "pattern", skew || symmetry == "symmetric", skew};
}

Graph read_matrix_market(std::string_view text, const std::string& file, MemoryBudget* budget) {
  const MatrixKind kind = read_matrix_kind(text.substr(0, text.find('\n')), file);
  Reader reader(text, file);
  std::vector<std::string_view> words;
  if (!reader.next(words) || words.size() != 3) reader.fail("rows, columns and entries are missing");
  const int64_t rows = reader.integer(words[0]);
  const int64_t columns = reader.integer(words[1]);
  const int64_t entries = reader.integer(words[2]);
  if (rows < 0 || columns < 0 || entries < 0) reader.fail("a size is negative");
  Graph graph;
  graph.vertices = std::max(rows, columns);
  const auto vertices = static_cast<size_t>(graph.vertices);
  if (budget != nullptr && vertices > budget->limit() / kVertexBytes) {
    const size_t bytes = vertices > SIZE_MAX / kVertexBytes ? SIZE_MAX : vertices * kVertexBytes;
    reader.fail(fmt::format("{} vertices need {} of memory; the limit is {} (--memory-limit)", vertices,
                            format_size(bytes), format_size(budget->limit())));
  }
  Edges edges(graph, budget);
  int64_t found = 0;
  for (; reader.next(words); ++found) {
    if (words.size() < (kind.pattern ? 2u : 3u)) reader.fail("expected a row, a column and a value");
    const int64_t from = reader.integer(words[0]) - 1;
    const int64_t to = reader.integer(words[1]) - 1;
    if (from < 0 || from >= rows || to < 0 || to >= columns) reader.fail("the entry is outside the matrix");
    std::optional<double> weight;
    if (!kind.pattern) weight = reader.real(words[2]);
    edges.add(from, to, weight);
    if (weight && kind.skew) weight = -*weight;
    if (kind.symmetric && from != to) edges.add(to, from, weight);
  }
  if (found != entries)
    reader.fail(fmt::format("the header states {} entries, and {} were found", entries, found));
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

Graph read_graph(std::string_view text, const std::string& file, MemoryBudget* budget) {
  if (in_lower_case(text.substr(0, kBanner.size())) == kBanner) {
    return read_matrix_market(text, file, budget);
  }
  Reader reader(text, file);
  Graph graph;
  Edges edges(graph, budget);
  std::vector<std::string_view> words;
  std::vector<int64_t> labels;
  std::optional<size_t> width;  // columns of an edge's line; 0: lines of neighbours
  while (reader.next(words)) {
    const bool neighbours = words.size() > 1 && words[1] == ":";
    if (!width) width = neighbours ? 0 : words.size();
    if (neighbours != (*width == 0)) reader.fail("lines 'v : u w' and lines 'source target' are mixed");
    const int64_t vertex = reader.integer(words[0]);
    labels.push_back(vertex);
    if (neighbours) {
      for (size_t i = 2; i < words.size(); ++i) {
        edges.add(vertex, reader.integer(words[i]), std::nullopt);
        labels.push_back(graph.target.back());
      }
      continue;
    }
    if (words.size() != *width || words.size() < 2 || words.size() > 3) {
      reader.fail("expected lines 'source target', 'source target weight' or 'v : u w', all of one kind");
    }
    const int64_t target = reader.integer(words[1]);
    std::optional<double> weight;
    if (words.size() == 3) weight = reader.real(words[2]);
    edges.add(vertex, target, weight);
    labels.push_back(target);
  }
  number_vertices(graph, std::move(labels));
  return graph;
}

}  // namespace lanewise::graph
