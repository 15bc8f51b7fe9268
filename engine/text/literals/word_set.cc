#include "text/literals/word_set.h"

#include <span>

#include "text/unicode/case.h"
#include "text/unicode/utf8.h"

namespace lanewise::text::literals {
namespace {

using syntax::Node;
using syntax::Op;

constexpr size_t kMany = 64;  // words; fewer are left to other strategies

bool is_lower(char32_t c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char32_t c) { return c >= 'A' && c <= 'Z'; }

/// One character for all that differ only in case: the ASCII letter in lower case, else the smallest one.
char32_t folded(char32_t c) {
  char32_t least = c;
  for (char32_t next = c;;) {
    if (is_lower(next)) return next;
    least = std::min(least, next);
    next = unicode::next_fold(next);
    if (next == c) return least;
  }
}

/// Collects the words of a tree.
class Words {
 public:
  bool collect(const Node& node, uint16_t before, uint16_t after) {
    switch (node.op) {
      case Op::kNothing:
        return true;
      case Op::kCapture:
        return collect(*node.children[0], before, after);
      case Op::kAlternate:
        for (const auto& child : node.children) {
          if (!collect(*child, before, after)) return false;
        }
        return true;
      case Op::kConcat: {
        std::vector<const Node*> parts;
        for (const auto& child : node.children) parts.push_back(child.get());
        return sequence(parts, before, after);
      }
      default: {
        const Node* part = &node;
        return sequence({&part, 1}, before, after);
      }
    }
  }

  std::optional<WordSet> finish() {
    if (set_.words.size() < kMany || (full_fold_ && ascii_fold_)) return std::nullopt;
    if (ignores_case_) set_.fold = full_fold_ ? Fold::kUnicode : Fold::kAscii;
    // Folded text does not show which letters were ASCII.
    constexpr uint16_t kOfBytes =
        syntax::kWordBoundary | syntax::kNoWordBoundary | syntax::kNoWordBefore | syntax::kNoWordAfter;
    if (set_.fold == Fold::kUnicode && ((set_.before | set_.after) & kOfBytes) != 0) return std::nullopt;
    if (set_.fold == Fold::kUnicode ? cased_ || malformed_ : ignores_case_ && ascii_cased_)
      return std::nullopt;
    return std::move(set_);
  }

 private:
  bool sequence(std::span<const Node* const> parts, uint16_t before, uint16_t after) {
    for (; !parts.empty() && parts.front()->op == Op::kAssert; parts = parts.subspan(1))
      before |= parts.front()->assertion;
    for (; !parts.empty() && parts.back()->op == Op::kAssert; parts = parts.first(parts.size() - 1))
      after |= parts.back()->assertion;
    if (parts.empty()) return false;
    const Op only = parts.size() == 1 ? parts[0]->op : Op::kText;
    if (only == Op::kAlternate || only == Op::kCapture || only == Op::kConcat)
      return collect(*parts[0], before, after);
    std::string word;
    for (const Node* part : parts) {
      if (part->op == Op::kNothing) return true;
      if (!add(*part, word)) return false;
    }
    if (set_.words.empty()) set_.before = before, set_.after = after;
    set_.words.push_back(std::move(word));
    return before == set_.before && after == set_.after;
  }

  bool add(const Node& part, std::string& word) {
    switch (part.op) {
      case Op::kText:
        return add_text(part.text, word);
      case Op::kChars:
        return add_letter(*part.chars, word);
      case Op::kBytes:
        return add_letter(*part.bytes, word);
      default:
        return false;
    }
  }

  bool add_text(std::string_view text, std::string& word) {
    word += text;
    while (!text.empty()) {
      const unicode::Decoded c = unicode::decode(text);
      malformed_ = malformed_ || c.bytes == 0;
      cased_ = cased_ || (c.bytes > 0 && unicode::next_fold(c.code_point) != c.code_point);
      ascii_cased_ = ascii_cased_ || (c.bytes > 0 && (is_lower(c.code_point) || is_upper(c.code_point)));
      text.remove_prefix(static_cast<size_t>(std::max(c.bytes, 1)));
    }
    return true;
  }

  /// The set must be a letter in all its cases.
  bool add_letter(const syntax::CharSet& set, std::string& word) {
    const char32_t first = set.ranges()[0].lo;
    syntax::CharSet all;
    all.add_folded(first, first);
    if (set.ranges() != all.ranges()) {
      all.intersect(syntax::CharSet(0, 0x7F));
      if (set.ranges() != all.ranges()) return false;
      ascii_fold_ = true;
    } else if (all.ranges().back().hi > 0x7F) {
      full_fold_ = true;
    }
    ignores_case_ = true;
    word += unicode::encode(folded(first));
    return true;
  }

  bool add_letter(const syntax::ByteSet& set, std::string& word) {
    const size_t first = set._Find_first();
    if (set.count() == 1) return add_text(std::string(1, static_cast<char>(first)), word);
    if (set.count() != 2 || !is_upper(static_cast<char32_t>(first)) || !set[first | 0x20]) return false;
    ascii_fold_ = ascii_fold_ || unicode::next_fold(unicode::next_fold(first)) != first;
    ignores_case_ = true;
    word += static_cast<char>(first | 0x20);
    return true;
  }

  WordSet set_;
  bool ignores_case_ = false;
  bool full_fold_ = false,
       ascii_fold_ = false;  // for letters with cases in ASCII and beyond: all cases; only some
  bool cased_ = false, ascii_cased_ = false;  // a letter with cases stands only for itself
  bool malformed_ = false;
};

}  // namespace

std::optional<WordSet> find_words(const syntax::Ast& ast, bool full_match) {
  Words words;
  const bool found =
      words.collect(*ast.root, full_match ? syntax::kBeginText : 0, full_match ? syntax::kEndText : 0);
  return found ? words.finish() : std::nullopt;
}

void fold_text(std::string_view text, std::string& out, std::vector<size_t>* places) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = out.size();
    const char first = text[at];
    size_t bytes = 1;
    if (static_cast<unsigned char>(first) < 0x80) {
      out += is_upper(static_cast<char32_t>(first)) ? static_cast<char>(first | 0x20) : first;
    } else if (const unicode::Decoded c = unicode::decode(text.substr(at)); c.bytes > 0) {
      bytes = static_cast<size_t>(c.bytes);
      out += unicode::encode(folded(c.code_point));
    } else {
      out += first;
    }
    if (places != nullptr) places->resize(places->size() + out.size() - begin, at);
    at += bytes;
  }
  if (places != nullptr) places->push_back(text.size());
}

}  // namespace lanewise::text::literals
