#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/syntax/char_set.h"

namespace lanewise::text::syntax {

/// Zero-width conditions; a set of them is a bit mask.
enum Assertion : uint16_t {
  kBeginText = 1,
  kEndText = 2,
  kBeginLine = 4,
  kEndLine = 8,
  kWordBoundary = 16,
  kNoWordBoundary = 32,
  kCharBoundary = 64,   ///< the next byte does not continue a UTF-8 character
  kNoWordBefore = 128,  ///< the byte before is not one of a word, or there is none
  kNoWordAfter = 256,   ///< the same of the next byte
  // The same of characters, words being Unicode's. Automata take them where a byte next to the place is not
  // ASCII: what they let through is checked again.
  kUnicodeWordBoundary = 512,
  kNoUnicodeWordBoundary = 1024,
  kNoUnicodeWordBefore = 2048,
  kNoUnicodeWordAfter = 4096,
  kHighByteBefore = 8192,  ///< of a state of an automaton: the byte before is not ASCII
};

constexpr uint16_t kUnicodeAssertions =
    kUnicodeWordBoundary | kNoUnicodeWordBoundary | kNoUnicodeWordBefore | kNoUnicodeWordAfter;

using ByteSet = std::bitset<256>;

enum class Op : uint8_t {
  kEmpty,      ///< the empty string
  kNothing,    ///< no string at all
  kText,       ///< these bytes
  kChars,      ///< one code point of a set, as UTF-8
  kBytes,      ///< one byte of a set
  kConcat,     ///< children in order
  kAlternate,  ///< one of the children, earlier ones first
  kRepeat,     ///< the child min..max times, as often as possible if greedy
  kCapture,    ///< the child, remembered as group `capture`
  kAssert,     ///< a zero-width condition
  kAnything,   ///< any bytes, as few as possible: LIKE's '%'
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

constexpr int kUnbounded = -1;

struct Node {
  Node(Op o, bool may_be_empty) : op(o), nullable(may_be_empty) {}

  Op op;
  bool greedy = true;              ///< kRepeat
  bool nullable = false;           ///< may match the empty string
  uint16_t assertion = 0;          ///< kAssert
  int min = 0;                     ///< kRepeat
  int max = 0;                     ///< kRepeat; kUnbounded for no limit
  int capture = 0;                 ///< kCapture
  std::string text;                ///< kText
  std::unique_ptr<CharSet> chars;  ///< kChars
  std::unique_ptr<ByteSet> bytes;  ///< kBytes
  std::vector<NodePtr> children;   ///< kConcat, kAlternate; one for kRepeat, kCapture
};

/// A parsed pattern.
struct Ast {
  NodePtr root;
  std::vector<std::string> group_names;  ///< of groups 1, 2, ...; empty where unnamed
  // For the Rust dialect:
  bool beyond_ascii = false;                      ///< a set or an assertion is about more than ASCII
  bool has_literal = false, has_capital = false;  ///< as smart case counts characters
};

// Nodes are made by these, which keep `nullable` right.
NodePtr make_empty();
NodePtr make_nothing();
NodePtr make_anything();
NodePtr make_text(std::string bytes);
NodePtr make_chars(CharSet chars);
NodePtr make_bytes(const ByteSet& bytes);
NodePtr make_assert(Assertion assertion);
NodePtr make_capture(NodePtr child, int group);
NodePtr make_repeat(NodePtr child, int min, int max, bool greedy);
/// Joins neighbouring strings; a single child is returned as it is.
NodePtr make_concat(std::vector<NodePtr> children);
NodePtr make_alternate(std::vector<NodePtr> children);

/// A tree to search for that is found in a text exactly where `root` matches the text, or, unless it has to
/// match the `whole` text, a part of it. Without groups, and without '%': it may stand in an alternation.
NodePtr searchable(const Node& root, bool whole);

/// All bytes.
ByteSet any_byte();
/// Bytes lo..hi.
ByteSet byte_range(unsigned lo, unsigned hi);

}  // namespace lanewise::text::syntax
