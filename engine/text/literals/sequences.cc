#include "text/literals/sequences.h"

#include <algorithm>
#include <map>
#include <utility>

#include "text/automaton/utf8_ranges.h"

namespace lanewise::text::literals {
namespace {

using syntax::Node;
using syntax::Op;
using Set = SequenceSet;

constexpr size_t kMost = lanes::SequenceFinder::kMost;
constexpr size_t kLongest = lanes::SequenceFinder::kLongest;

Sequence sequence_of(std::string_view text) {
  Sequence all;
  for (char c : text) all.emplace_back().set(static_cast<uint8_t>(c));
  return all;
}

Set characters(const syntax::CharSet& chars) {
  Set all;
  for (const automaton::ByteSequence& bytes : automaton::utf8_sequences(chars)) {
    Sequence one;
    for (int i = 0; i < bytes.size; ++i)
      one.push_back(syntax::byte_range(bytes.range[i].lo, bytes.range[i].hi));
    // Single bytes are one set, not a sequence for each range.
    if (one.size() == 1 && !all.empty() && all.back().size() == 1) {
      all.back()[0] |= one[0];
    } else {
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// All of a followed by all of b; nothing if they are too many or too long.
std::optional<Set> product(const Set& a, const Set& b) {
  if (a.size() * b.size() > kMost) return std::nullopt;
  Set all;
  for (const Sequence& first : a) {
    for (const Sequence& second : b) {
      if (first.size() + second.size() > kLongest) return std::nullopt;
      all.push_back(first);
      all.back().insert(all.back().end(), second.begin(), second.end());
    }
  }
  return all;
}

/// Fewer sequences that match all that these match: one for each length.
Set coarse(const Set& set) {
  std::map<size_t, Sequence> by_length;
  for (const Sequence& sequence : set) {
    Sequence& all = by_length[sequence.size()];
    all.resize(sequence.size());
    for (size_t i = 0; i < sequence.size(); ++i) all[i] |= sequence[i];
  }
  Set out;
  for (auto& [length, sequence] : by_length) out.push_back(std::move(sequence));
  return out;
}

bool has_empty(const Set& set) {
  return std::ranges::any_of(set, [](const Sequence& s) { return s.empty(); });
}

/// What is known about the strings that a node matches.
struct KnownSets {
  std::optional<Set> exact;   // exactly these, apart from zero-width conditions
  std::vector<Set> required;  // each string contains one sequence of each set; the rarest first
  Set front, back;            // each string begins, or ends, with one of these; empty: not known
  bool conditional = false;   // there are zero-width conditions
};

/// Whether every string that contains one of `set` contains one of `other`, by a quick test.
bool implies(const Set& set, const Set& other) {
  constexpr size_t kMoment = 64;
  if (set.size() * other.size() > kMoment) return false;
  const auto within = [](const auto& a, const auto& b) { return (a & ~b).none(); };
  return std::ranges::all_of(set, [&](const Sequence& sequence) {
    return std::ranges::any_of(
        other, [&](const Sequence& part) { return !std::ranges::search(sequence, part, within).empty(); });
  });
}

/// Orders sets by rarity. Ties go to the longer sequence.
auto rank(const Set& set) {
  return std::pair(lanes::expected_candidates(set),
                   -static_cast<ptrdiff_t>(std::ranges::min(set, {}, &Sequence::size).size()));
}

/// Adds one to the few rarest, none of which implies another.
void keep(std::vector<Set>& rarest, const Set& set) {
  constexpr size_t kFew = 3;
  if (set.empty() || has_empty(set)) return;
  if (std::ranges::any_of(rarest, [&](const Set& known) { return implies(known, set); })) return;
  std::erase_if(rarest, [&](const Set& known) { return implies(set, known); });
  rarest.insert(std::ranges::upper_bound(rarest, rank(set), {}, rank), set);
  if (rarest.size() > kFew) rarest.pop_back();
}

void keep(std::vector<Set>& rarest, const std::vector<Set>& sets) {
  for (const Set& set : sets) keep(rarest, set);
}

KnownSets of_exact(Set set) {
  KnownSets known;
  known.front = known.back = set;
  keep(known.required, set);
  known.exact = std::move(set);
  return known;
}

/// cut_left, cut_right: a match may have any neighbours on that side. So a repetition there
/// needs only its minimum number of copies.
KnownSets sets_of(const Node& node, bool cut_left, bool cut_right);

KnownSets sets_of_concat(const Node& node, bool cut_left, bool cut_right) {
  KnownSets all;
  all.exact = Set{Sequence()};
  std::optional<Set> run = all.exact;  // strings of the last children, as far back as known
  bool first = true;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool last = i + 1 == node.children.size();
    KnownSets one = sets_of(*node.children[i], cut_left && first, cut_right && last);
    first = false;
    all.conditional |= one.conditional;
    keep(all.required, one.required);
    if (one.exact) {
      std::optional<Set> longer = product(*run, *one.exact);
      if (!longer) {
        all.exact.reset();
        keep(all.required, *run);
        longer = std::move(one.exact);
      }
      run = std::move(longer);
    } else {
      all.exact.reset();
      if (!one.front.empty()) {
        if (const auto longer = product(*run, one.front)) keep(all.required, *longer);
      }
      keep(all.required, *run);
      run = one.back.empty() ? Set{Sequence()} : one.back;
    }
  }
  keep(all.required, *run);
  if (all.exact) all.exact = all.front = all.back = *run;
  return all;
}

KnownSets look_at_alternate(const Node& node, bool cut_left, bool cut_right) {
  KnownSets all;
  all.exact.emplace();
  bool known = true;
  Set either;
  for (const auto& child : node.children) {
    const KnownSets one = sets_of(*child, cut_left, cut_right);
    all.conditional |= one.conditional;
    if (one.exact && all.exact) {
      all.exact->insert(all.exact->end(), one.exact->begin(), one.exact->end());
    } else {
      all.exact.reset();
    }
    known &= !one.required.empty();
    if (known) either.insert(either.end(), one.required[0].begin(), one.required[0].end());
  }
  if (all.exact && all.exact->size() > kMost) all.exact.reset();
  if (all.exact) all.front = all.back = *all.exact;
  if (known) keep(all.required, either.size() > kMost ? coarse(either) : either);
  return all;
}

KnownSets look_at_repeat(const Node& node, bool cut) {
  KnownSets one = sets_of(*node.children[0], false, false);
  const int max = cut ? node.min : node.max;
  KnownSets all;
  all.conditional = one.conditional;
  if (node.min > 0) all.required = one.required;
  if (!one.exact) return all;
  std::optional<Set> copies = Set{Sequence()};
  int made = 0;
  for (std::optional<Set> more; made < node.min; ++made, copies = std::move(more)) {
    more = product(*copies, *one.exact);
    if (!more) break;
  }
  if (made > 0) {
    all.front = all.back = *copies;
    keep(all.required, *copies);
  }
  if (made < node.min || max == syntax::kUnbounded) return all;
  Set total = *copies;
  for (; made < max; ++made) {
    copies = product(*copies, *one.exact);
    if (!copies || total.size() + copies->size() > kMost) return all;
    total.insert(total.end(), copies->begin(), copies->end());
  }
  all.exact = total;
  if (all.front.empty()) all.front = all.back = total;
  return all;
}

KnownSets sets_of(const Node& node, bool cut_left, bool cut_right) {
  switch (node.op) {
    case Op::kEmpty:
      return of_exact({Sequence()});
    case Op::kAssert: {
      KnownSets known = of_exact({Sequence()});
      known.conditional = true;
      return known;
    }
    case Op::kText: {
      if (node.text.size() <= kLongest) return of_exact({sequence_of(node.text)});
      KnownSets known;
      known.front = {sequence_of(std::string_view(node.text).substr(0, kLongest))};
      known.required = {known.front};
      return known;
    }
    case Op::kBytes:
      return of_exact({Sequence{*node.bytes}});
    case Op::kChars: {
      Set set = characters(*node.chars);
      if (set.size() <= kMost) return of_exact(std::move(set));
      KnownSets known;
      known.front = known.back = coarse(set);
      known.required = {known.front};
      return known;
    }
    case Op::kConcat:
      return sets_of_concat(node, cut_left, cut_right);
    case Op::kAlternate:
      return look_at_alternate(node, cut_left, cut_right);
    case Op::kCapture:
      return sets_of(*node.children[0], cut_left, cut_right);
    case Op::kRepeat:
      return look_at_repeat(node, cut_left || cut_right);
    case Op::kNothing:
    case Op::kAnything:
      return {};
  }
  return {};
}

}  // namespace

Sequences find_sequences(const syntax::Ast& ast, bool full_match) {
  KnownSets known = sets_of(*ast.root, !full_match, !full_match);
  if (!full_match && known.exact && !known.conditional && !known.exact->empty() && !has_empty(*known.exact))
    return {.any = std::move(*known.exact), .exact = true, .others = {}};
  if (known.required.empty()) return {};
  Sequences found{.any = std::move(known.required.front()), .exact = false, .others = {}};
  found.others.assign(known.required.begin() + 1, known.required.end());
  return found;
}

namespace {

const Node* inside(const Node* node) {
  while (node->op == Op::kCapture) node = node->children[0].get();
  return node;
}

}  // namespace

std::optional<Run> find_run(const syntax::Ast& ast, bool full_match) {
  const Node& root = *inside(ast.root.get());
  const bool repeats = root.op == Op::kRepeat;
  const Node& one = repeats ? *inside(root.children[0].get()) : root;
  if (full_match || (repeats && root.min == 0)) return std::nullopt;
  Run run;
  run.length = repeats ? root.min : 1;
  Set set;
  if (one.op == Op::kBytes) set = {Sequence{*one.bytes}};
  if (one.op == Op::kChars) set = characters(*one.chars);
  if (set.empty()) return std::nullopt;
  for (const Sequence& sequence : set) {
    if (sequence.size() == 1) run.bytes |= sequence[0];
    for (const auto& bytes : sequence) run.maybe |= bytes;
  }
  return run;
}

namespace {

/// The minimum and maximum length of a node's matches.
struct Span {
  size_t least = 0;
  std::optional<size_t> most = 0;
  bool conditional = false;  // there are zero-width conditions

  void append(const Span& next) {
    least += next.least;
    most = most && next.most ? std::optional(*most + *next.most) : std::nullopt;
    conditional |= next.conditional;
  }
};

Span span_of(const Node& node) {
  switch (node.op) {
    case Op::kEmpty:
    case Op::kNothing:
      return {};
    case Op::kAssert:
      return {0, 0, true};
    case Op::kText:
      return {node.text.size(), node.text.size()};
    case Op::kBytes:
      return {1, 1};
    case Op::kAnything:
      return {0, std::nullopt};
    case Op::kChars: {
      Span span{SIZE_MAX, 0};
      for (const automaton::ByteSequence& bytes : automaton::utf8_sequences(*node.chars)) {
        span.least = std::min<size_t>(span.least, bytes.size);
        span.most = std::max<size_t>(*span.most, bytes.size);
      }
      return span;
    }
    case Op::kCapture:
      return span_of(*node.children[0]);
    case Op::kConcat: {
      Span all;
      for (const auto& child : node.children) all.append(span_of(*child));
      return all;
    }
    case Op::kAlternate: {
      Span all = span_of(*node.children[0]);
      for (const auto& child : node.children) {
        const Span one = span_of(*child);
        all.least = std::min(all.least, one.least);
        all.most = all.most && one.most ? std::optional(std::max(*all.most, *one.most)) : std::nullopt;
        all.conditional |= one.conditional;
      }
      return all;
    }
    case Op::kRepeat: {
      const Span one = span_of(*node.children[0]);
      const bool bounded = node.max != syntax::kUnbounded && one.most;
      return {one.least * node.min, bounded ? std::optional(*one.most * node.max) : std::nullopt,
              one.conditional};
    }
  }
  return {};
}

}  // namespace

Lengths find_lengths(const syntax::Ast& ast, bool full_match) {
  const Node& root = *inside(ast.root.get());
  const Span all = span_of(root);
  Lengths found{all.least, all.most, false};
  if (full_match || root.op != Op::kConcat) return found;
  const Node& last = *root.children.back();
  if (last.op != Op::kAssert || last.assertion != syntax::kEndText) return found;
  found.only_at_end = std::none_of(root.children.begin(), root.children.end() - 1,
                                   [](const auto& child) { return span_of(*child).conditional; });
  return found;
}

}  // namespace lanewise::text::literals
