#include "plan/drawing.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "base/json.h"
#include "data/format.h"

namespace lanewise::plan {

namespace {

/// The text with some characters replaced.
template <class F>
std::string replaced(std::string_view text, F replacement) {
  std::string result;
  for (const char c : text) {
    const std::string_view other = replacement(c);
    if (other.empty()) {
      result += c;
    } else {
      result += other;
    }
  }
  return result;
}

std::string for_mermaid(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '"':
        return "#quot;";
      case '#':
        return "#35;";
      case '&':
        return "#amp;";
      case '<':
        return "#lt;";
      case '`':
        return "#96;";
      default:
        return static_cast<unsigned char>(c) < ' ' ? " " : "";
    }
  });
}

std::string for_graphviz(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    if (c == '&') return "&amp;";  // in labels it begins a character's name
    if (c == '"') return "\\\"";
    if (c == '\\') return "\\\\";
    return static_cast<unsigned char>(c) < ' ' ? " " : "";
  });
}

std::string for_html(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "";
  });
}

/// The name and the facts of a box, a line each.
std::string label(const Drawing& box, const char* line_break, std::string (*escaped)(std::string_view)) {
  std::string text = escaped(box.name);
  for (const Drawing::Fact& fact : box.facts)
    text += line_break + escaped(fmt::format("{}: {}", fact.name, fact.value));
  return text;
}

/// Calls node(number, box) for each box, and edge(input, reader) for each arrow. Inputs have greater numbers.
void walk(const Drawing& root, const std::function<void(int, const Drawing&)>& node,
          const std::function<void(int, int)>& edge) {
  int next = 0;
  const std::function<int(const Drawing&)> visit = [&](const Drawing& box) {
    const int number = next++;
    node(number, box);
    for (const Drawing& input : box.inputs) edge(visit(input), number);
    return number;
  };
  visit(root);
}

std::string in_json(const Drawing::Fact& fact) {
  return fact.is_number ? fact.value : json_quoted(fact.value);
}

void write_json(const Drawing& box, int indent, std::string& out) {
  const std::string margin(static_cast<size_t>(indent), ' ');
  out += fmt::format("{{\n{}  \"node\": {}", margin, json_quoted(box.name));
  for (const Drawing::Fact& fact : box.facts)
    out += fmt::format(",\n{}  {}: {}", margin, json_quoted(fact.name), in_json(fact));
  if (!box.inputs.empty()) {
    out += fmt::format(",\n{}  \"children\": [", margin);
    for (size_t i = 0; i < box.inputs.size(); ++i) {
      if (i != 0) out += ", ";
      write_json(box.inputs[i], indent + 2, out);
    }
    out += ']';
  }
  out += fmt::format("\n{}}}", margin);
}

/// JSON's strings are strings of YAML.
void write_yaml(const Drawing& box, int indent, std::string& out) {
  const std::string margin(static_cast<size_t>(indent), ' ');
  out += fmt::format("{}- node: {}\n", margin, json_quoted(box.name));
  for (const Drawing::Fact& fact : box.facts)
    out += fmt::format("{}  {}: {}\n", margin, fact.name, in_json(fact));
  if (!box.inputs.empty()) out += margin + "  children:\n";
  for (const Drawing& input : box.inputs) write_yaml(input, indent + 4, out);
}

void write_html(const Drawing& box, std::string& out) {
  out += fmt::format("<li><div><b>{}</b>", for_html(box.name));
  for (const Drawing::Fact& fact : box.facts)
    out += fmt::format("<p><i>{}</i> {}</p>", fact.name, for_html(fact.value));
  out += "</div>";
  if (!box.inputs.empty()) {
    out += "\n<ul>\n";
    for (const Drawing& input : box.inputs) write_html(input, out);
    out += "</ul>\n";
  }
  out += "</li>\n";
}

constexpr const char* kPage = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Plan</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 14px/1.4 system-ui, sans-serif }}
ul {{ list-style: none; margin: 0 0 0 1em; padding: 0 0 0 1em; border-left: 1px solid gray }}
div {{ display: inline-block; margin: .3em 0; padding: .4em .8em; border: 1px solid gray; border-radius: .4em; max-width: 70em }}
p {{ margin: 0; overflow-wrap: anywhere }}
</style>
</head>
<body>
<ul>
{}</ul>
</body>
</html>
)";

}  // namespace

Drawing drawing(const Node& node) {
  Drawing box{name(node.payload), {}, {}};
  if (std::string text = details(node); !text.empty()) box.facts.push_back({"details", std::move(text)});
  if (node.estimated_rows >= 0)
    box.facts.push_back({"estimated_rows", fmt::format("{:.0f}", node.estimated_rows), true});
  for (const NodePtr& child : node.children) box.inputs.push_back(drawing(*child));
  return box;
}

std::string to_json(const Drawing& drawing) {
  std::string out;
  write_json(drawing, 0, out);
  return out + "\n";
}

std::string to_yaml(const Drawing& drawing) {
  std::string out;
  write_yaml(drawing, 0, out);
  return out;
}

std::string to_mermaid(const Drawing& drawing) {
  std::string out = "flowchart BT\n";
  walk(
      drawing,
      [&](int number, const Drawing& box) {
        out += fmt::format("    n{}[\"{}\"]\n", number, label(box, "<br>", for_mermaid));
      },
      [&](int input, int reader) { out += fmt::format("    n{} --> n{}\n", input, reader); });
  return out;
}

std::string to_graphviz(const Drawing& drawing) {
  std::string out = "digraph plan {\n    rankdir=BT;\n    node [shape=box];\n";
  walk(
      drawing,
      [&](int number, const Drawing& box) {
        out += fmt::format("    n{} [label=\"{}\"];\n", number, label(box, "\\n", for_graphviz));
      },
      [&](int input, int reader) { out += fmt::format("    n{} -> n{};\n", input, reader); });
  return out + "}\n";
}

std::string to_html(const Drawing& drawing) {
  std::string boxes;
  write_html(drawing, boxes);
  return fmt::format(kPage, boxes);
}

}  // namespace lanewise::plan
