#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::cli::grep {

/// A glob as in .gitignore and ripgrep, for a whole path. * and ? do not match /, ** spans folders, {a,b} are
/// alternatives, [a-c] and [!a-c] are classes, \ makes the next character literal.
class Glob {
 public:
  /// Throws UserError.
  explicit Glob(std::string_view glob, bool ignore_case = false);
  bool matches(std::string_view path) const;

 private:
  enum class Kind : unsigned char { kByte, kClass, kStar, kPrefix, kSuffix, kMiddle };
  struct Token {
    Kind kind;
    std::bitset<256> bytes = {};  // kByte, kClass
  };
  using Tokens = std::vector<Token>;

  void parse(std::string_view glob);
  void stars(std::string_view glob, size_t& at, Tokens& tokens) const;
  void add(std::bitset<256> bytes, Tokens& tokens) const;
  static bool match(const Tokens& tokens, size_t token, std::string_view path);

  std::string glob_;
  bool ignore_case_;
  std::string suffix_;  // every match ends with this
  std::vector<Tokens> alternatives_;
};

}  // namespace lanewise::cli::grep
