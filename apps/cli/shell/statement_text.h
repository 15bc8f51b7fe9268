#pragma once

#include <cstddef>
#include <string_view>

namespace lanewise::cli {

/// kName: in double quotes. kBracket: one of ( ) [ ] { }. kEnd: a ';'.
enum class TokenKind { kSpace, kComment, kWord, kNumber, kString, kName, kBracket, kEnd, kOther };

struct Token {
  TokenKind kind;
  size_t end;          ///< where the next token begins
  bool closed = true;  ///< false: the text ends within quotes or a comment
};

/// The token that begins at `at`, which is less than the text's size.
Token token_at(std::string_view text, size_t at);

/// Whether the text ends with a complete statement: after its last ';' outside quotes and comments there are
/// only spaces and comments.
bool ends_with_statement(std::string_view text);

/// Whether the end of the text is within single quotes; `begin`: their position.
bool in_string(std::string_view text, size_t& begin);

/// Whether the text has only spaces and comments.
bool is_blank(std::string_view text);

}  // namespace lanewise::cli
