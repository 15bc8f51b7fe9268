#include "base/error.h"
#include "grep/arguments.h"
#include "grep/pattern_file.h"

namespace lanewise::cli::grep {

namespace {

constexpr const char* kNoPcre =
    "-P is not supported: look-around and back references need time exponential in the line, and Lanewise "
    "matches in linear time.\nInstead of (?<=a)b search for ab, with -o -r '$1' for the group of a(b); "
    "instead "
    "of a(?!b) pipe into a second grep -v; \\b and -w find whole words";

[[noreturn]] void no_pcre(Arguments&, const std::string&) { throw UserError(kNoPcre); }

constexpr Flag kPatterns[] = {
    {"-e,--regexp", "PATTERN", "Patterns", "A pattern; may be given several times",
     [](Arguments& to, const std::string& value) {
       to.has_patterns = true;
       to.patterns.push_back(value);
     }},
    {"-f,--file", "FILE", "Patterns", "A file with a pattern on each line; - is standard input",
     [](Arguments& to, const std::string& value) {
       to.has_patterns = true;
       read_patterns(value, to.file_patterns);
       to.reads_input = to.reads_input || value == "-";
     }},
    {"-F,--fixed-strings", "", "Patterns", "Patterns are plain text",
     [](Arguments& to, const std::string&) { to.options.literal = true; }},
    {"--no-fixed-strings", "", "", "", [](Arguments& to, const std::string&) { to.options.literal = false; }},
    {"-i,--ignore-case", "", "Patterns", "Ignore case",
     [](Arguments& to, const std::string&) { to.options.letters = Case::kIgnored; }},
    {"-s,--case-sensitive", "", "Patterns", "Do not ignore case; the default",
     [](Arguments& to, const std::string&) { to.options.letters = Case::kSensitive; }},
    {"-S,--smart-case", "", "Patterns", "Ignore case unless a pattern has a capital letter",
     [](Arguments& to, const std::string&) { to.options.letters = Case::kSmart; }},
    {"-w,--word-regexp", "", "Patterns", "Select only matches that are whole words",
     [](Arguments& to, const std::string&) { to.options.around = Around::kWord; }},
    {"-x,--line-regexp", "", "Patterns", "Select only matches that are whole lines",
     [](Arguments& to, const std::string&) { to.options.around = Around::kLine; }},
    {"-v,--invert-match", "", "Patterns", "Select lines that do not match",
     [](Arguments& to, const std::string&) { to.options.invert = true; }},
    {"--no-invert-match", "", "", "", [](Arguments& to, const std::string&) { to.options.invert = false; }},
    {"-U,--multiline", "", "Patterns", "A match may span lines",
     [](Arguments& to, const std::string&) { to.options.multiline = true; }},
    {"--no-multiline", "", "", "", [](Arguments& to, const std::string&) { to.options.multiline = false; }},
    {"--multiline-dotall", "", "Patterns", "With -U: . also matches the end of a line",
     [](Arguments& to, const std::string&) { to.options.dot_all = true; }},
    {"--no-multiline-dotall", "", "", "",
     [](Arguments& to, const std::string&) { to.options.dot_all = false; }},
    {"--crlf", "", "Patterns", "Lines may end with CR LF: $ matches before it",
     [](Arguments& to, const std::string&) { to.options.crlf = true, to.options.line_end = '\n'; }},
    {"--no-crlf", "", "", "", [](Arguments& to, const std::string&) { to.options.crlf = false; }},
    {"--null-data", "", "Patterns", "Lines end with NUL",
     [](Arguments& to, const std::string&) { to.options.line_end = '\0', to.options.crlf = false; }},
    {"--no-unicode,--no-pcre2-unicode", "", "Patterns",
     "Use ASCII for \\w \\d \\s \\b and case; . matches any byte",
     [](Arguments& to, const std::string&) { to.options.unicode = false; }},
    {"--unicode,--pcre2-unicode", "", "", "",
     [](Arguments& to, const std::string&) { to.options.unicode = true; }},
    {"-P,--pcre2", "", "Patterns", "Rejected: look-around and back references take more than linear time",
     no_pcre},
    {"--no-pcre2,--auto-hybrid-regex,--no-auto-hybrid-regex", "", "", "",
     [](Arguments&, const std::string&) {}},
    {"--engine", "NAME", "", "",
     [](Arguments& to, const std::string& value) {
       if (value == "pcre2") no_pcre(to, value);
       if (value != "default" && value != "auto")
         throw UserError("--engine: '" + value + "' is not one of default, auto");
     }},
};

constexpr Flag kOther[] = {
    {"--no-config", "", "Options",
     "Do not read the file that $LANEWISE_GREP_CONFIG, else $RIPGREP_CONFIG_PATH, names",
     [](Arguments& to, const std::string&) { to.no_config = true; }},
    {"-j,--threads", "N", "Options", "Number of threads (default: one per core)",
     [](Arguments& to, const std::string& value) {
       const uint64_t threads = read_number("--threads", value);
       if (threads > 1024) throw UserError("--threads: at most 1024 threads, not " + value);
       to.options.threads = static_cast<int>(threads);
     }},
    {"--lanes", "NAME", "Options",
     "Lanes to use: simd (the widest of this machine), avx512, avx2, neon, interleaved, auto, scalar, "
     "branching, emulated; packed: simd, with automata in registers wherever they fit",
     [](Arguments& to, const std::string& value) { to.options.lanes = value; }},
    {"--debug,--trace", "", "Options", "Print the match strategy on standard error",
     [](Arguments& to, const std::string&) { to.options.explain = true; }},
    {"--dfa-size-limit", "SIZE", "", "",
     [](Arguments&, const std::string& value) { read_size("--dfa-size-limit", value); }},
    {"--regex-size-limit", "SIZE", "Patterns", "Reject patterns that take more memory, such as 10M",
     [](Arguments& to, const std::string& value) {
       to.options.pattern_bytes = read_size("--regex-size-limit", value);
     }},
    {"-V,--version", "", "", "",
     [](Arguments& to, const std::string&) { to.options.task = Task::kShowVersion; }},
    {"--pcre2-version", "", "", "", no_pcre},
    {"-h,--help", "", "", "", [](Arguments& to, const std::string&) { to.options.task = Task::kShowHelp; }},
    {"--pre", "COMMAND", "Files", "Search what COMMAND PATH prints, for each file PATH",
     [](Arguments& to, const std::string& value) { to.options.preprocessor = value; }},
    {"--no-pre", "", "", "", [](Arguments& to, const std::string&) { to.options.preprocessor.clear(); }},
    {"--pre-glob", "GLOB", "Files", "Use --pre only for files whose names match GLOB",
     [](Arguments& to, const std::string& value) { to.options.preprocessor_globs.push_back(value); }},
};

}  // namespace

std::span<const Flag> pattern_flags() { return kPatterns; }
std::span<const Flag> other_flags() { return kOther; }

}  // namespace lanewise::cli::grep
