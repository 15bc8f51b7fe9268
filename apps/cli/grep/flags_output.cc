#include "base/error.h"
#include "grep/arguments.h"

namespace lanewise::cli::grep {

namespace {

/// Of -C, of -A and -B, and of --passthru the last one counts.
void set_context(Arguments& to, std::optional<uint64_t> both, std::optional<uint64_t> before,
                 std::optional<uint64_t> after) {
  to.options.passthru = false;
  to.context = both;
  if (both) to.before.reset(), to.after.reset();
  if (before) to.before = before;
  if (after) to.after = after;
}

void set_path_separator(Arguments& to, const std::string& value) {
  const std::string separator = unescape(value);
  if (separator.size() > 1) throw UserError("--path-separator: '" + value + "' is longer than one byte");
  to.options.path_separator = separator.empty() ? '/' : separator[0];
}

constexpr Flag kOutput[] = {
    {"-c,--count", "", "Output", "Print the number of selected lines in each file that has any",
     [](Arguments& to, const std::string&) { to.count = true, to.count_matches = false; }},
    {"--count-matches", "", "Output", "Print the number of matches in each file that has any",
     [](Arguments& to, const std::string&) { to.count_matches = true, to.count = false; }},
    {"--include-zero", "", "Output", "With -c and --count-matches: print zeros too",
     [](Arguments& to, const std::string&) { to.options.include_zero = true; }},
    {"-l,--files-with-matches", "", "Output", "Print the names of files with selected lines",
     [](Arguments& to, const std::string&) { to.files_with = true, to.files_without = false; }},
    {"--files-without-match", "", "Output", "Print the names of files without selected lines",
     [](Arguments& to, const std::string&) { to.files_without = true, to.files_with = false; }},
    {"-o,--only-matching", "", "Output", "Print each match on a line of its own",
     [](Arguments& to, const std::string&) { to.options.only_matches = true; }},
    {"-r,--replace", "REPLACEMENT", "Output",
     "Print REPLACEMENT in place of each match; $1, ${name} are groups, $0 is the match, $$ is $",
     [](Arguments& to, const std::string& value) { to.options.replacement = value; }},
    {"-q,--quiet", "", "Output", "Print nothing; stop at the first selected line",
     [](Arguments& to, const std::string&) { to.options.quiet = true; }},
    {"--json", "", "Output", "Print one JSON object per line, in ripgrep's format",
     [](Arguments& to, const std::string&) { to.json = true; }},
    {"--no-json", "", "", "", [](Arguments& to, const std::string&) { to.json = false; }},
    {"--vimgrep", "", "Output", "Print a line for each match, with line and column number",
     [](Arguments& to, const std::string&) { to.vimgrep = true; }},
    {"-n,--line-number", "", "Output", "Print line numbers; the default on a terminal",
     [](Arguments& to, const std::string&) { to.numbers = true; }},
    {"-N,--no-line-number", "", "Output", "Do not print line numbers",
     [](Arguments& to, const std::string&) { to.numbers = false; }},
    {"--column", "", "Output", "Print the column of the first match, in bytes; implies -n",
     [](Arguments& to, const std::string&) { to.column = true, to.no_column = false; }},
    {"--no-column", "", "", "",
     [](Arguments& to, const std::string&) { to.column = false, to.no_column = true; }},
    {"-b,--byte-offset", "", "Output", "Print the byte offset of each line or, with -o, of each match",
     [](Arguments& to, const std::string&) { to.options.offsets = true; }},
    {"-H,--with-filename", "", "Output", "Print file names, even for a single file",
     [](Arguments& to, const std::string&) { to.names = true; }},
    {"-I,--no-filename", "", "Output", "Do not print file names",
     [](Arguments& to, const std::string&) { to.names = false; }},
    {"--heading", "", "Output", "Print a file's name above its lines; the default on a terminal",
     [](Arguments& to, const std::string&) { to.heading = true; }},
    {"--no-heading", "", "Output", "Print file names before each line",
     [](Arguments& to, const std::string&) { to.heading = false; }},
    {"-0,--null", "", "Output", "Print NUL after file names, for xargs -0",
     [](Arguments& to, const std::string&) { to.options.null_names = true; }},
    {"-m,--max-count", "NUM", "Output", "Stop after NUM selected lines in each file",
     [](Arguments& to, const std::string& value) { to.options.most = read_number("--max-count", value); }},
    {"-A,--after-context", "NUM", "Output", "Lines of context after each selected line",
     [](Arguments& to, const std::string& value) {
       set_context(to, {}, {}, read_number("--after-context", value));
     }},
    {"-B,--before-context", "NUM", "Output", "Lines of context before each selected line",
     [](Arguments& to, const std::string& value) {
       set_context(to, {}, read_number("--before-context", value), {});
     }},
    {"-C,--context", "NUM", "Output", "Lines of context before and after",
     [](Arguments& to, const std::string& value) {
       set_context(to, read_number("--context", value), {}, {});
     }},
    {"--passthru,--passthrough", "", "Output", "Print all lines; those that do not match are context",
     [](Arguments& to, const std::string&) {
       set_context(to, {}, {}, {});
       to.before.reset(), to.after.reset();
       to.options.passthru = true;
     }},
    {"-M,--max-columns", "NUM", "Output", "Do not print lines of more than NUM bytes",
     [](Arguments& to, const std::string& value) {
       to.options.max_columns = read_number("--max-columns", value);
     }},
    {"--max-columns-preview", "", "Output", "With -M: print the beginning of such lines",
     [](Arguments& to, const std::string&) { to.options.preview = true; }},
    {"--no-max-columns-preview", "", "", "",
     [](Arguments& to, const std::string&) { to.options.preview = false; }},
    {"--trim", "", "Output", "Remove white space at the start of each line",
     [](Arguments& to, const std::string&) { to.options.trim = true; }},
    {"--no-trim", "", "", "", [](Arguments& to, const std::string&) { to.options.trim = false; }},
    {"--context-separator", "SEPARATOR", "Output", "Line between groups of lines (default: --)",
     [](Arguments& to, const std::string& value) { to.options.context_separator = unescape(value); }},
    {"--no-context-separator", "", "Output", "Print no line between groups",
     [](Arguments& to, const std::string&) { to.options.context_separator.reset(); }},
    {"--field-match-separator", "SEPARATOR", "Output", "Text after names and numbers (default: ':')",
     [](Arguments& to, const std::string& value) { to.options.match_separator = unescape(value); }},
    {"--field-context-separator", "SEPARATOR", "Output", "Text after them in lines of context (default: '-')",
     [](Arguments& to, const std::string& value) { to.options.context_mark = unescape(value); }},
    {"--path-separator", "CHAR", "Output", "Print CHAR in place of / in file names", set_path_separator},
    {"--line-buffered", "", "Output", "Write each line as soon as it is found",
     [](Arguments& to, const std::string&) { to.options.flush = true; }},
    {"--no-line-buffered,--block-buffered,--no-block-buffered", "", "", "",
     [](Arguments& to, const std::string&) { to.options.flush = false; }},
    {"--stats", "", "Output", "Print how much was found and searched, and how long it took",
     [](Arguments& to, const std::string&) { to.options.stats = true; }},
    {"--no-stats", "", "", "", [](Arguments& to, const std::string&) { to.options.stats = false; }},
};

constexpr Flag kColourFlags[] = {
    {"--color,--colour", "auto|always|never|ansi", "Colours",
     "When to use colours (default: auto, on a terminal)",
     [](Arguments& to, const std::string& value) {
       if (value != "auto" && value != "always" && value != "never" && value != "ansi")
         throw UserError("--color: '" + value + "' is not one of auto, always, never, ansi");
       to.colour = value;
     }},
    {"--colors", "SPEC", "Colours",
     "Change a colour: PART:ATTRIBUTE:VALUE (path, line, column, match; fg, bg, style), or path:none",
     [](Arguments& to, const std::string& value) { to.options.colour_specs.apply(value); }},
    {"-p,--pretty", "", "Colours", "As on a terminal: --color always --heading --line-number",
     [](Arguments& to, const std::string&) { to.pretty = true; }},
};

}  // namespace

std::span<const Flag> output_flags() { return kOutput; }
std::span<const Flag> colour_flags() { return kColourFlags; }

}  // namespace lanewise::cli::grep
