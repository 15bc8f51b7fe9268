#include "study/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lanewise::cli::study {

namespace {

constexpr const char* kPageStyle = R"(
:root { color-scheme: light dark; --text: #222; --soft: #666; --line: #ddd; --paper: #fff; --note: #fff6e0 }
@media screen and (prefers-color-scheme: dark) { :root { --text: #ddd; --soft: #999; --line: #3a3d42; --paper: #16181c; --note: #3a3216 } }
body { font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--text); background: var(--paper); max-width: 880px; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.9rem; line-height: 1.2; margin-bottom: .2rem } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line) } h3 { margin-top: 2rem }
.below, figcaption, caption { color: var(--soft); font-size: .88rem } caption { text-align: left; padding: .4rem 0; max-width: calc(100vw - 2rem) } table.many { min-width: 760px }
figure { margin: 1.5rem 0 } figure, .wide { overflow-x: auto; break-inside: avoid } figure svg { width: 100%; height: auto; min-width: 640px }
table { width: 100%; border-collapse: collapse; font-size: .85rem; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top } table.numbers :is(th, td):not(:first-child) { text-align: right; padding: .2rem 0 .2rem .9rem }
table.ids td:first-child, td.short { white-space: nowrap }
ul.tree { list-style: none; padding: 0 } ul.tree > li { margin: .6rem 0; font-weight: 600 } ul.tree ul { list-style: none; margin: .2rem 0 0 .4rem; padding: 0 0 0 1rem; border-left: 2px solid var(--line); font-weight: 400 }
.warn { background: var(--note); padding: .5rem .8rem; border-left: 4px solid #d9a000 }
nav a { color: inherit; margin-right: 1.2rem; display: inline-block } code { font-size: .9em }
@media print { html { font-size: 10pt } body { max-width: none; margin: 0; padding: 0; font-size: 10pt } h2 { break-before: page } h2, h3 { break-after: avoid } nav { display: none } tr { break-inside: avoid } thead { display: table-header-group }
  .wide { break-inside: auto; overflow: visible } table.many { min-width: 0 } caption { max-width: none } figure { overflow: visible } figure svg { min-width: 0; max-height: 16cm } table { font-size: 8pt } }
)";

}  // namespace

namespace {

/// A number with its unit, which is not split over two lines.
bool is_short(const std::string& cell) {
  constexpr size_t kMost = 14;
  return !cell.empty() && std::isdigit(static_cast<unsigned char>(cell[0])) != 0 && cell.size() <= kMost &&
         cell.find(' ') != std::string::npos;
}

/// Numbers, or words: if names begin its rows, on one line; if they are many columns, wider than a small
/// screen.
std::string class_of(const Cells& cells) {
  constexpr size_t kMost = 20, kMany = 5;
  if (cells.numbers) return "numbers";
  const bool has_names = cells.head.size() > 2 && std::ranges::all_of(cells.rows, [](const auto& row) {
                           return row[0].size() <= kMost;
                         });
  return std::string("words") + (has_names ? " ids" : "") + (cells.head.size() >= kMany ? " many" : "");
}

/// Escaped text whose words between backticks are code.
std::string with_code(const std::string& words) {
  std::string text = plot::escape(words);
  for (size_t at = text.find('`'), end = 0; at != std::string::npos; at = text.find('`', end)) {
    end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    const std::string code = "<code>" + text.substr(at + 1, end - at - 1) + "</code>";
    text.replace(at, end - at + 1, code);
    end = at + code.size();
  }
  return text;
}

}  // namespace

Cells without_empty_columns(const Cells& cells) {
  Cells kept{{}, std::vector<std::vector<std::string>>(cells.rows.size()), cells.numbers};
  for (size_t column = 0; column < cells.head.size(); ++column) {
    const bool empty = std::ranges::all_of(
        cells.rows, [&](const auto& row) { return row[column] == "–" || row[column].empty(); });
    if (empty && column > 0) continue;
    kept.head.push_back(cells.head[column]);
    for (size_t row = 0; row < cells.rows.size(); ++row) kept.rows[row].push_back(cells.rows[row][column]);
  }
  return kept;
}

Page::Page(const std::string& title, const std::string& below)
    : out_("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n") {
  out_ += fmt::format("<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>{}</title>\n",
                      plot::escape(title));
  out_ += fmt::format("<style>{}{}</style>\n</head>\n<body>\n", kPageStyle, plot::kStyle);
  out_ += fmt::format("<main>\n<h1>{}</h1>\n<p class=\"below\">{}</p>\n<!-- contents -->",
                      plot::escape(title), plot::escape(below));
}

void Page::chapter(const std::string& title) {
  ++chapters_;
  out_ += fmt::format("<h2 id=\"c{0}\">{0}. {1}</h2>\n", chapters_, plot::escape(title));
  contents_ += fmt::format("<a href=\"#c{0}\">{0}. {1}</a>\n", chapters_, plot::escape(title));
}

void Page::section(const std::string& title) { out_ += fmt::format("<h3>{}</h3>\n", plot::escape(title)); }
void Page::text(const std::string& words) { out_ += fmt::format("<p>{}</p>\n", with_code(words)); }
void Page::warn(const std::string& words) {
  out_ += fmt::format("<p class=\"warn\">{}</p>\n", plot::escape(words));
}

void Page::add_figure(const std::string& svg, std::string title, const std::string& caption) {
  constexpr std::string_view kBetween = " – ";  // the title of the plot and its second line
  if (const size_t at = title.find(kBetween); at != std::string::npos)
    title.replace(at, kBetween.size(), ": ");
  out_ +=
      fmt::format("<figure tabindex=\"0\">\n{}<figcaption>Figure {}. <b>{}.</b> {}</figcaption>\n</figure>\n",
                  svg, ++figures_, plot::escape(title), plot::escape(caption));
}

void Page::tree(const std::vector<Branch>& branches) {
  int depth = -1;
  for (const Branch& branch : branches) {
    if (branch.depth > depth) {
      out_ += depth < 0 ? "<ul class=\"tree\">\n" : "\n<ul>\n";  // one level at a time
    } else {
      out_ += "</li>\n";
      for (; depth > branch.depth; --depth) out_ += "</ul></li>\n";
    }
    depth = branch.depth;
    out_ += "<li>" + plot::escape(branch.words);
  }
  for (; depth >= 0; --depth) out_ += "</li></ul>\n";
}

void Page::table(const std::string& caption, const Cells& cells) {
  out_ += fmt::format(
      "<div class=\"wide\" tabindex=\"0\"><table class=\"{}\">\n<caption>Table {}. {}</caption>\n<thead><tr>",
      class_of(cells), ++tables_, plot::escape(caption));
  for (const std::string& cell : cells.head) {
    out_ += cell.empty() ? "<td></td>" : "<th scope=\"col\">" + plot::escape(cell) + "</th>";
  }
  out_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : cells.rows) {
    out_ += "<tr>";
    for (const std::string& cell : row)
      out_ += (is_short(cell) ? "<td class=\"short\">" : "<td>") + plot::escape(cell) + "</td>";
    out_ += "</tr>\n";
  }
  out_ += "</tbody></table></div>\n";
}

std::string Page::finish() {
  static constexpr std::string_view kPlace = "<!-- contents -->";
  out_.replace(out_.find(kPlace), kPlace.size(), "<nav aria-label=\"Chapters\">" + contents_ + "</nav>\n");
  return std::move(out_) + "</main>\n</body>\n</html>\n";
}

}  // namespace lanewise::cli::study
