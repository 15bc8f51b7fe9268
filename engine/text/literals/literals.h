#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/syntax/ast.h"

namespace lanewise::text::literals {

/// A pattern that is nothing but literal pieces with any bytes between them: LIKE 'a%b%', the regex ^abc$ or
/// abc. A text matches when the pieces occur in it in order without overlap, the first one at its beginning
/// and the last one at its end where so anchored. Without pieces: all strings, or the empty one when anchored
/// at both ends.
struct Pieces {
  std::vector<std::string> pieces;
  bool at_begin = false;
  bool at_end = false;

  bool operator==(const Pieces&) const = default;
};

/// `full_match`: the pattern spans the whole text, otherwise it may match anywhere. nullopt when it is not
/// literal.
std::optional<Pieces> find_pieces(const syntax::Ast& ast, bool full_match);

/// The longest text that every match contains; empty when none is known.
std::string find_required(const syntax::Ast& ast);

/// The text that every matching row starts with; empty when there is none.
std::string find_prefix(const syntax::Ast& ast, bool full_match);

}  // namespace lanewise::text::literals
