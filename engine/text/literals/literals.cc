#include "text/literals/literals.h"

#include <algorithm>
#include <utility>

namespace lanewise::text::literals {
namespace {

using syntax::Node;
using syntax::Op;

/// The parts of nested concatenations and groups, in order. False if there is anything but strings, '%', \A
/// and \z.
bool flatten(const Node& node, std::vector<const Node*>& out) {
  switch (node.op) {
    case Op::kEmpty:
      return true;
    case Op::kText:
    case Op::kAnything:
      out.push_back(&node);
      return true;
    case Op::kAssert:
      out.push_back(&node);
      return node.assertion == syntax::kBeginText || node.assertion == syntax::kEndText;
    case Op::kConcat:
    case Op::kCapture:
      for (const auto& child : node.children) {
        if (!flatten(*child, out)) return false;
      }
      return true;
    default:
      return false;
  }
}

bool is_assert(const Node* node, syntax::Assertion assertion) {
  return node->op == Op::kAssert && node->assertion == assertion;
}

}  // namespace

std::optional<Pieces> find_pieces(const syntax::Ast& ast, bool full_match) {
  std::vector<const Node*> parts;
  if (!flatten(*ast.root, parts)) return std::nullopt;
  Pieces out{{}, full_match, full_match};
  size_t first = 0, end = parts.size();
  for (; first < end && is_assert(parts[first], syntax::kBeginText); ++first) out.at_begin = true;
  for (; first < end && is_assert(parts[end - 1], syntax::kEndText); --end) out.at_end = true;
  bool joined = false;  // the next text extends the last piece
  for (size_t i = first; i < end; ++i) {
    if (parts[i]->op == Op::kAssert) return std::nullopt;
    if (parts[i]->op == Op::kText) {
      if (!joined) out.pieces.emplace_back();
      out.pieces.back() += parts[i]->text;
    } else {
      if (i == first) out.at_begin = false;
      if (i + 1 == end) out.at_end = false;
    }
    joined = parts[i]->op == Op::kText;
  }
  return out;
}

namespace {

/// What is known about the strings that a node matches.
struct Known {
  std::optional<std::string> exact;  // the only string that it matches, apart from zero-width conditions
  std::string required;              // a substring of all of them
};

constexpr size_t kLongestRepeated = 256;

void keep_longer(std::string& best, std::string_view other) {
  if (other.size() > best.size()) best = other;
}

Known look_at(const Node& node);

Known look_at_concat(const Node& node) {
  Known all{"", ""};
  std::string run;  // of exact children
  for (const auto& child : node.children) {
    Known one = look_at(*child);
    if (one.exact) {
      run += *one.exact;
    } else {
      all.exact.reset();
      keep_longer(all.required, run);
      run.clear();
    }
    keep_longer(all.required, one.required);
  }
  keep_longer(all.required, run);
  if (all.exact) all.exact = run;
  return all;
}

Known look_at(const Node& node) {
  switch (node.op) {
    case Op::kEmpty:
    case Op::kAssert:
      return {"", ""};
    case Op::kText:
      return {node.text, node.text};
    case Op::kConcat:
      return look_at_concat(node);
    case Op::kCapture:
      return look_at(*node.children[0]);
    case Op::kRepeat: {
      if (node.min == 0) return {};
      Known one = look_at(*node.children[0]);
      if (!one.exact || one.exact->size() * node.min > kLongestRepeated) return {std::nullopt, one.required};
      std::string copies;
      for (int i = 0; i < node.min; ++i) copies += *one.exact;
      return {node.min == node.max ? std::optional(copies) : std::nullopt, copies};
    }
    case Op::kNothing:
    case Op::kChars:
    case Op::kBytes:
    case Op::kAlternate:
    case Op::kAnything:
      return {};
  }
  return {};
}

/// Whether every match starts at the beginning of the text.
bool starts_at_begin(const Node& node) {
  switch (node.op) {
    case Op::kAssert:
      return node.assertion == syntax::kBeginText;
    case Op::kCapture:
      return starts_at_begin(*node.children[0]);
    case Op::kConcat:
      for (const auto& child : node.children) {
        if (starts_at_begin(*child)) return true;
        if (child->op != Op::kAssert && child->op != Op::kEmpty) return false;
      }
      return false;
    case Op::kAlternate:
      return std::all_of(node.children.begin(), node.children.end(),
                         [](const auto& child) { return starts_at_begin(*child); });
    default:
      return false;
  }
}

/// Appends the common prefix of all matches of the node. True if it is the whole match.
bool append_prefix(const Node& node, std::string& prefix) {
  if (const Known known = look_at(node); known.exact) {
    prefix += *known.exact;
    return true;
  }
  switch (node.op) {
    case Op::kConcat:
      return std::all_of(node.children.begin(), node.children.end(),
                         [&](const auto& child) { return append_prefix(*child, prefix); });
    case Op::kCapture:
      return append_prefix(*node.children[0], prefix);
    case Op::kRepeat:
      for (int i = 0; i < node.min && prefix.size() < kLongestRepeated; ++i) {
        if (!append_prefix(*node.children[0], prefix)) break;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace

std::string find_required(const syntax::Ast& ast) { return look_at(*ast.root).required; }

std::string find_prefix(const syntax::Ast& ast, bool full_match) {
  std::string prefix;
  if (full_match || starts_at_begin(*ast.root)) append_prefix(*ast.root, prefix);
  return prefix;
}

}  // namespace lanewise::text::literals
