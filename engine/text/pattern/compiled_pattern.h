#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "text/automaton/complete_automaton.h"
#include "text/automaton/program.h"
#include "text/captures/engines/match_starts.h"
#include "text/captures/engines/one_pass.h"
#include "text/captures/engines/start_condition.h"
#include "text/literals/literals.h"
#include "text/literals/sequences.h"
#include "text/literals/word_finder.h"
#include "text/pattern/pattern.h"
#include "text/syntax/ast.h"

namespace lanewise::text::detail {

/// The contents of a Pattern, for the folders below text/. Expensive parts are built on first use, once for
/// all threads.
struct CompiledPattern {
  CompiledPattern(std::string pattern_source, syntax::Ast parsed, bool whole, const Limits& bounds);

  const automaton::Program& program() const;
  const automaton::ByteClasses& byte_classes() const;
  /// Decides whether a row matches; null if it would exceed the limits.
  const automaton::CompleteAutomaton* automaton() const;
  const captures::StartCondition& start_condition() const;
  const literals::Sequences& sequences() const;
  /// Finds matches if the pattern is a list of many words; otherwise null.
  const literals::WordFinder* words() const { return words_ ? &*words_ : nullptr; }
  /// Finds where matches start; null if it would exceed the limits.
  const captures::MatchStarts* match_starts() const;
  /// Finds captures once the start is known; null if the pattern is not one-pass.
  const captures::OnePass* one_pass() const;
  automaton::Question question() const {
    return full_match ? automaton::Question::kWhole : automaton::Question::kSearch;
  }

  const std::string source;
  const syntax::Ast ast;
  const bool full_match;
  const Limits limits;
  const std::optional<literals::Pieces> pieces;  ///< set if the pattern is literal
  const std::string required;                    ///< a string in every match; may be empty
  const std::string prefix;                      ///< prefix of every matching row; may be empty
  const literals::Lengths lengths;

 private:
  std::optional<literals::WordFinder> words_;
  mutable std::once_flag program_once_;
  mutable automaton::Program program_;
  mutable automaton::ByteClasses byte_classes_;
  mutable std::optional<captures::StartCondition> start_condition_;
  mutable std::once_flag sequences_once_;
  mutable literals::Sequences sequences_;
  mutable std::once_flag automaton_once_;
  mutable std::optional<automaton::CompleteAutomaton> automaton_;
  mutable std::once_flag match_starts_once_;
  mutable std::optional<captures::MatchStarts> match_starts_;
  mutable std::once_flag one_pass_once_;
  mutable std::optional<captures::OnePass> one_pass_;
};

}  // namespace lanewise::text::detail
