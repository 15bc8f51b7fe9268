#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/syntax/ast.h"

namespace lanewise::text::literals {

/// A pattern that is nothing but literal pieces with any bytes between them: LIKE 'a%b%', the regex ^abc$ or
/// abc. A text matches if it contains the pieces in order without overlap, the first one at its beginning
/// and the last one at its end if so anchored. Without pieces: all strings, or only the empty one if anchored
/// at both ends.
struct Pieces {
  std::vector<std::string> pieces;
  bool at_begin = false;
  bool at_end = false;

  bool operator==(const Pieces&) const = default;
};

/// `full_match`: the pattern spans the whole text, otherwise it may match anywhere. nullopt if it is not
/// literal.
std::optional<Pieces> find_pieces(const syntax::Ast& ast, bool full_match);

/// The longest string that every match contains; empty if none is known.
std::string find_required(const syntax::Ast& ast);

/// The prefix of every matching row; empty if there is none.
std::string find_prefix(const syntax::Ast& ast, bool full_match);

}  // namespace lanewise::text::literals
