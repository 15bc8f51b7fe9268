#pragma once

#include <memory>
#include <string>

#include "grep/options.h"
#include "text/lines.h"

namespace lanewise::cli::grep {

/// All patterns as one, with its matcher.
struct Search {
  std::unique_ptr<text::UnicodeLineMatcher> matcher;
  bool multiline = false;  ///< a match may contain a line end
};

/// Throws UserError for a bad pattern.
Search compile(const Options& options);

/// The groups of lines of text[0, size) that matches span, for multiline searches.
void find_groups(const text::UnicodeLineMatcher& matcher, const Options& options, std::string_view text,
                 std::vector<lanes::Line>& groups, text::CaptureContext& context);

}  // namespace lanewise::cli::grep
