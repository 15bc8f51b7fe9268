#pragma once

namespace lanewise::text::testing {

/// Typical patterns for file paths and log lines; the benchmarks' common set.
inline constexpr const char* kRegexSet[] = {
    "README",
    "\\.so\\.6$",
    "^usr/share/doc/",
    "(README|LICENSE|COPYING|AUTHORS|CHANGELOG)",
    "\\.(png|svg|jpe?g|gif|ico)$",
    "/(de|fr|es|it|pt_BR|ja|zh_CN)/LC_MESSAGES/",
    "[0-9]{3}",
    "[0-9a-f]{32}",
    "[A-Z]{4,}",
    "[^a-zA-Z0-9/._+-]",
    "[aeiou]{4}",
    "lib[a-z]+[0-9]*\\.so(\\.[0-9]+)*$",
    "([a-z]+)-([0-9]+)\\.([0-9]+)",
    "(foo|bar|baz)[a-z]*[0-9]",
    "python3?(\\.[0-9]+)?/.*test",
    "^(bin|sbin|lib|etc)/",
    "/[^/]{1,3}$",
    "^usr/(lib|share)/[^/]+/[^/]+$",
    "([^/]*/){8}",
    ".{200}",
    "[a-z]{20,40}",
    "(?i)license",
    "(?i)\\breadme\\b",
    "\\p{Han}|\\p{Cyrillic}",
    "[\xC3\x80-\xC3\xBF]+",
};

}  // namespace lanewise::text::testing
