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
  kNoWordBefore = 128,  ///< the previous byte is not a word byte, or there is none
  kNoWordAfter = 256,   ///< the same for the next byte
  // The same for characters, with Unicode's words. Automata assume that they hold next to a byte that is not
  // ASCII: such matches are checked again.
  kUnicodeWordBoundary = 512,
  kNoUnicodeWordBoundary = 1024,
  kNoUnicodeWordBefore = 2048,
  kNoUnicodeWordAfter = 4096,
  kHighByteBefore = 8192,  ///< for states of an automaton: the previous byte is not ASCII
};

constexpr uint16_t kUnicodeAssertions =
    kUnicodeWordBoundary | kNoUnicodeWordBoundary | kNoUnicodeWordBefore | kNoUnicodeWordAfter;

using ByteSet = std::bitset<256>;

enum class Op : uint8_t {
  kEmpty,      ///< the empty string
  kNothing,    ///< matches nothing
  kText,       ///< these bytes
  kChars,      ///< one code point of a set, as UTF-8
  kBytes,      ///< one byte of a set
  kConcat,     ///< children in order
  kAlternate,  ///< one of the children, earlier ones first
  kRepeat,     ///< the child min..max times, as often as possible if greedy
  kCapture,    ///< the child, captured as group `capture`
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
  std::vector<std::string> group_names;  ///< of groups 1, 2, ...; empty if unnamed
  // For the Rust dialect:
  bool beyond_ascii = false;                      ///< a set or an assertion has characters beyond ASCII
  bool has_literal = false, has_capital = false;  ///< as smart case counts characters
};

// These functions make nodes, with the correct value of `nullable`.
NodePtr make_empty();
NodePtr make_nothing();
NodePtr make_anything();
NodePtr make_text(std::string bytes);
NodePtr make_chars(CharSet chars);
NodePtr make_bytes(const ByteSet& bytes);
NodePtr make_assert(Assertion assertion);
NodePtr make_capture(NodePtr child, int group);
NodePtr make_repeat(NodePtr child, int min, int max, bool greedy);
/// Joins adjacent strings; a single child is returned unchanged.
NodePtr make_concat(std::vector<NodePtr> children);
NodePtr make_alternate(std::vector<NodePtr> children);

/// A tree whose search matches exactly where `root` matches the text, or, unless it must
/// match the `whole` text, a part of it. Without groups, and without '%', so that it may be part of an
/// alternation.
NodePtr searchable(const Node& root, bool whole);

/// All bytes.
ByteSet any_byte();
/// Bytes lo..hi.
ByteSet byte_range(unsigned lo, unsigned hi);

}  // namespace lanewise::text::syntax
