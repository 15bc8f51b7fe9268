#include "text/syntax/ast.h"

#include "text/unicode/utf8.h"

namespace lanewise::text::syntax {

namespace {
NodePtr make_node(Op op, bool nullable) { return std::make_unique<Node>(op, nullable); }
}  // namespace

NodePtr make_empty() { return make_node(Op::kEmpty, true); }
NodePtr make_nothing() { return make_node(Op::kNothing, false); }
NodePtr make_anything() { return make_node(Op::kAnything, true); }

NodePtr make_text(std::string bytes) {
  if (bytes.empty()) return make_empty();
  NodePtr node = make_node(Op::kText, false);
  node->text = std::move(bytes);
  return node;
}

NodePtr make_chars(CharSet chars) {
  const auto& ranges = chars.ranges();
  if (ranges.empty()) return make_nothing();
  if (ranges.size() == 1 && ranges[0].lo == ranges[0].hi) return make_text(unicode::encode(ranges[0].lo));
  NodePtr node = make_node(Op::kChars, false);
  node->chars = std::make_unique<CharSet>(std::move(chars));
  return node;
}

NodePtr make_bytes(const ByteSet& bytes) {
  if (bytes.none()) return make_nothing();
  NodePtr node = make_node(Op::kBytes, false);
  node->bytes = std::make_unique<ByteSet>(bytes);
  return node;
}

NodePtr make_assert(Assertion assertion) {
  NodePtr node = make_node(Op::kAssert, true);
  node->assertion = assertion;
  return node;
}

NodePtr make_capture(NodePtr child, int group) {
  NodePtr node = make_node(Op::kCapture, child->nullable);
  node->capture = group;
  node->children.push_back(std::move(child));
  return node;
}

NodePtr make_repeat(NodePtr child, int min, int max, bool greedy) {
  if (max == 0) return make_empty();
  NodePtr node = make_node(Op::kRepeat, min == 0 || child->nullable);
  node->min = min;
  node->max = max;
  node->greedy = greedy;
  node->children.push_back(std::move(child));
  return node;
}

NodePtr make_concat(std::vector<NodePtr> children) {
  std::vector<NodePtr> joined;
  bool nullable = true;
  for (NodePtr& child : children) {
    if (child->op == Op::kEmpty) continue;
    nullable = nullable && child->nullable;
    if (child->op == Op::kText && !joined.empty() && joined.back()->op == Op::kText) {
      joined.back()->text += child->text;
    } else {
      joined.push_back(std::move(child));
    }
  }
  if (joined.empty()) return make_empty();
  if (joined.size() == 1) return std::move(joined[0]);
  NodePtr node = make_node(Op::kConcat, nullable);
  node->children = std::move(joined);
  return node;
}

NodePtr make_alternate(std::vector<NodePtr> children) {
  if (children.size() == 1) return std::move(children[0]);
  bool nullable = false;
  for (const NodePtr& child : children) nullable = nullable || child->nullable;
  NodePtr node = make_node(Op::kAlternate, nullable);
  node->children = std::move(children);
  return node;
}

namespace {

NodePtr without_groups(const Node& node) {
  if (node.op == Op::kCapture) return without_groups(*node.children[0]);
  if (node.op == Op::kAnything) return make_repeat(make_bytes(any_byte()), 0, kUnbounded, false);
  NodePtr copy = make_node(node.op, node.nullable);
  copy->greedy = node.greedy;
  copy->assertion = node.assertion;
  copy->min = node.min;
  copy->max = node.max;
  copy->text = node.text;
  if (node.chars) copy->chars = std::make_unique<CharSet>(*node.chars);
  if (node.bytes) copy->bytes = std::make_unique<ByteSet>(*node.bytes);
  for (const NodePtr& child : node.children) copy->children.push_back(without_groups(*child));
  return copy;
}

}  // namespace

NodePtr searchable(const Node& root, bool whole) {
  if (!whole) return without_groups(root);
  std::vector<const Node*> parts{&root};
  if (root.op == Op::kConcat) {
    parts.clear();
    for (const NodePtr& child : root.children) parts.push_back(child.get());
  }
  // '%' at an end needs no search: matches may begin and end anywhere.
  const bool open_begin = parts.front()->op == Op::kAnything, open_end = parts.back()->op == Op::kAnything;
  if (open_begin) parts.erase(parts.begin());
  if (open_end && !parts.empty()) parts.pop_back();
  std::vector<NodePtr> nodes;
  if (!open_begin) nodes.push_back(make_assert(kBeginText));
  for (const Node* part : parts) nodes.push_back(without_groups(*part));
  if (!open_end) nodes.push_back(make_assert(kEndText));
  return make_concat(std::move(nodes));
}

ByteSet any_byte() { return ByteSet().set(); }

ByteSet byte_range(unsigned lo, unsigned hi) {
  ByteSet set;
  for (unsigned b = lo; b <= hi; ++b) set.set(b);
  return set;
}

}  // namespace lanewise::text::syntax
