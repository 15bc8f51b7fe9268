#include <algorithm>
#include <numeric>
#include <utility>

#include "output/display.h"
#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

constexpr int kGap = 2;         // cells between columns
constexpr int kMinimum = 6;     // columns are not cut below this width while others are wider
constexpr int kLongest = 1000;  // bytes of a cell that are read at most

struct Grid {
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows;  // the rows to show; an empty row stands for those left out
  std::vector<int> widths;
};

std::string lowered(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// The first and last rows, so that about `limit` are shown.
Grid gather(const Table& table, int64_t limit, std::string_view null_text) {
  Grid grid;
  for (const Field& field : table.schema) {
    grid.names.push_back(printable(field.name));
    grid.types.push_back(lowered(field.text_of.empty() ? field.type.name() : field.text_of));
    grid.right.push_back(field.type.is_integer() || field.type.is_float() ||
                         field.type.id == TypeId::kDecimal);
  }
  const int64_t rows = table.rows();
  const int64_t head = rows <= limit ? rows : limit / 2;
  const int64_t tail = rows <= limit ? rows : rows - (limit - head);
  int64_t number = 0;
  for (const Batch& batch : table.batches) {
    for (int64_t row = 0; row < batch.rows; ++row, ++number) {
      if (number >= head && number < tail) {
        if (number == head) grid.rows.emplace_back();
        const int64_t skip = std::min(batch.rows - row, tail - number);
        row += skip - 1;
        number += skip - 1;
        continue;
      }
      auto& cells = grid.rows.emplace_back();
      for (const ColumnPtr& column : batch.columns) {
        std::string cell;
        if (column->type.id == TypeId::kVarchar && !column->is_null(row)) {
          cell = column->text(row).substr(0, kLongest);
        } else {
          append_cell(*column, row, null_text, cell);
        }
        cells.push_back(printable(cell));
      }
    }
  }
  return grid;
}

/// Natural widths; the widest column shrinks cell by cell until the line fits.
void lay_out(Grid& grid, int width) {
  for (size_t i = 0; i < grid.names.size(); ++i) {
    int widest = std::max(display_width(grid.names[i]), display_width(grid.types[i]));
    for (const auto& row : grid.rows) {
      if (!row.empty()) widest = std::max(widest, display_width(row[i]));
    }
    grid.widths.push_back(widest);
  }
  const auto total = [&] {
    return std::accumulate(grid.widths.begin(), grid.widths.end(),
                           kGap * (static_cast<int>(grid.widths.size()) - 1));
  };
  for (int excess = total() - width; excess > 0;) {
    auto widest = std::max_element(grid.widths.begin(), grid.widths.end());
    if (*widest <= kMinimum) break;
    int second = kMinimum;
    for (auto it = grid.widths.begin(); it != grid.widths.end(); ++it) {
      if (it != widest) second = std::max(second, *it);
    }
    const int cut = std::clamp(*widest - second, 1, excess);
    *widest -= cut;
    excess -= cut;
  }
}

class TableWriter : public ResultWriter {
 public:
  explicit TableWriter(TableStyle style) : style_(std::move(style)) {}

  void write(const Batches& rows, OutputFile& out) override {
    Table table{rows.schema, {}};
    while (std::optional<Batch> batch = rows.next()) table.batches.push_back(std::move(*batch));
    Grid grid = gather(table, style_.rows, style_.null_text);
    lay_out(grid, style_.width);
    const size_t columns = fitting(grid);
    line(grid, grid.names, columns, bold(), out);
    line(grid, grid.types, columns, dim(), out);
    std::string rule;
    for (size_t i = 0; i < columns; ++i) {
      if (i != 0) rule.append(kGap, ' ');
      for (int cell = 0; cell < grid.widths[i]; ++cell) rule += "─";
    }
    out.write(dim() + rule + reset() + "\n");
    for (const auto& row : grid.rows) {
      if (row.empty()) {
        out.write(dim() + "⋮" + reset() + "\n");
      } else {
        line(grid, row, columns, "", out);
      }
    }
    out.write(dim() + footer(table, grid, columns) + reset() + "\n");
  }

 private:
  std::string bold() const { return style_.colours ? "\033[1m" : ""; }
  std::string dim() const { return style_.colours ? "\033[2m" : ""; }
  std::string reset() const { return style_.colours ? "\033[0m" : ""; }

  /// How many columns fit; at least one.
  size_t fitting(const Grid& grid) const {
    int used = 0;
    size_t columns = 0;
    while (columns < grid.widths.size() &&
           (columns == 0 || used + kGap + grid.widths[columns] <= style_.width)) {
      used += (columns == 0 ? 0 : kGap) + grid.widths[columns];
      ++columns;
    }
    return columns;
  }

  void line(const Grid& grid, const std::vector<std::string>& cells, size_t columns, const std::string& style,
            OutputFile& out) const {
    std::string text = style;
    for (size_t i = 0; i < columns; ++i) {
      const std::string cell = fit(cells[i], grid.widths[i]);
      const auto padding = static_cast<size_t>(std::max(grid.widths[i] - display_width(cell), 0));
      if (i != 0) text.append(kGap, ' ');
      if (grid.right[i]) text.append(padding, ' ');
      text += cell;
      if (!grid.right[i] && i + 1 < columns) text.append(padding, ' ');
    }
    out.write(text + (style.empty() ? "" : reset()) + "\n");
  }

  static std::string footer(const Table& table, const Grid& grid, size_t columns) {
    const int64_t rows = table.rows();
    const auto shown = static_cast<int64_t>(
        std::count_if(grid.rows.begin(), grid.rows.end(), [](const auto& row) { return !row.empty(); }));
    std::string text = with_commas(rows) + (rows == 1 ? " row" : " rows");
    if (shown < rows) text += ", " + with_commas(shown) + " shown";
    if (columns < grid.names.size()) {
      text += "; " + std::to_string(columns) + " of " + std::to_string(grid.names.size()) + " columns shown";
    }
    return text;
  }

  TableStyle style_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_table_writer(TableStyle style) {
  return std::make_unique<TableWriter>(std::move(style));
}

}  // namespace lanewise::cli
