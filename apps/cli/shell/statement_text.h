#pragma once

#include <cstddef>
#include <string_view>

namespace lanewise::cli {

/// kName: in double quotes. kBracket: one of ( ) [ ] { }. kEnd: a ';'.
enum class TokenKind { kSpace, kComment, kWord, kNumber, kString, kName, kBracket, kEnd, kOther };

struct Token {
  TokenKind kind;
  size_t end;          ///< where the next token begins
  bool closed = true;  ///< false: the text ends within the quotes or the comment
};

/// The token that begins at `at`, which is less than the text's size.
Token token_at(std::string_view text, size_t at);

/// Whether the text ends with a complete statement: its last ';' stands outside quotes and comments, and
/// nothing but space and comments follows.
bool ends_with_statement(std::string_view text);

/// Whether the end of the text lies within single quotes; `begin`: where these open.
bool in_string(std::string_view text, size_t& begin);

/// Whether nothing but space and comments is in it.
bool is_blank(std::string_view text);

}  // namespace lanewise::cli
