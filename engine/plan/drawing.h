#pragma once

#include <string>
#include <vector>

#include "plan/node.h"

namespace lanewise::plan {

/// A tree of operators to be drawn: an operator, and those whose rows it reads.
struct Drawing {
  struct Fact {
    std::string name;  ///< a word
    std::string value;
    bool is_number = false;
  };
  std::string name;
  std::vector<Fact> facts;
  std::vector<Drawing> inputs;
};

/// The plan with the details of its nodes and estimates of their rows.
Drawing drawing(const Node& node);

/// Nested objects with "node", the facts, and "children" if there are any, as to_json(const Node&) has them.
std::string to_json(const Drawing& drawing);
/// The same as YAML 1.2.
std::string to_yaml(const Drawing& drawing);
/// A flowchart of Mermaid, from inputs down to the operators that read them.
std::string to_mermaid(const Drawing& drawing);
/// A graph in the DOT language of Graphviz.
std::string to_graphviz(const Drawing& drawing);
/// A page that needs no other file.
std::string to_html(const Drawing& drawing);

}  // namespace lanewise::plan
