#pragma once

#include <string>
#include <string_view>

namespace lanewise::cli::grep {

/// The style of one kind of text.
struct ColourSpec {
  std::string foreground, background;  ///< parameters of the escape sequence: "31", "38;5;208"; may be empty
  bool bold = false, intense = false, underline = false;

  bool none() const { return foreground.empty() && background.empty() && !bold && !intense && !underline; }
  /// The escape sequences that switch it on, after a reset.
  std::string start() const;
};

/// The colours of ripgrep: names magenta, line numbers green, matches red and bold.
struct ColourSpecs {
  ColourSpecs();
  ColourSpec path, line, column, match;

  /// Changes them as --colors says: "match:fg:red", "path:none". Throws UserError.
  void apply(std::string_view spec);
};

inline constexpr std::string_view kResetColour = "\33[0m";

}  // namespace lanewise::cli::grep
