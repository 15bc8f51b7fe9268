#include "base/error.h"
#include "grep/arguments.h"

namespace lanewise::cli::grep {

namespace {

void set_sort(Arguments& to, const std::string& value, bool reverse) {
  FileRules& files = to.options.files;
  files.reverse = reverse;
  if (value == "none") {
    files.sort = Sort::kNone;
  } else if (value == "path") {
    files.sort = Sort::kPath;
  } else if (value == "modified") {
    files.sort = Sort::kModified;
  } else if (value == "accessed") {
    files.sort = Sort::kAccessed;
  } else if (value == "created") {
    files.sort = Sort::kCreated;
  } else {
    throw UserError("--sort: '" + value + "' is not one of none, path, modified, accessed, created");
  }
}

void set_ignore(FileRules& files, bool on) {
  files.ignore_rg = files.ignore_dot = files.ignore_exclude = files.ignore_global = on;
  files.ignore_parent = files.ignore_vcs = on;
}

constexpr Flag kFiles[] = {
    {"--files", "", "Files", "Print the names of the files that would be searched",
     [](Arguments& to, const std::string&) { to.options.task = Task::kListFiles; }},
    {"-g,--glob", "GLOB", "Files", "Search only files that match; with !GLOB skip those that match",
     [](Arguments& to, const std::string& value) { to.options.files.globs.emplace_back(value, false); }},
    {"--iglob", "GLOB", "Files", "Like -g, but ignoring case",
     [](Arguments& to, const std::string& value) { to.options.files.globs.emplace_back(value, true); }},
    {"--glob-case-insensitive", "", "Files", "Treat -g like --iglob",
     [](Arguments& to, const std::string&) { to.options.files.glob_ignore_case = true; }},
    {"--no-glob-case-insensitive", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.glob_ignore_case = false; }},
    {"-t,--type", "TYPE", "Files", "Search only files of this type; --type-list shows them",
     [](Arguments& to, const std::string& value) { to.options.files.types.emplace_back(value, true); }},
    {"-T,--type-not", "TYPE", "Files", "Skip files of this type",
     [](Arguments& to, const std::string& value) { to.options.files.types.emplace_back(value, false); }},
    {"--type-add", "SPEC", "Files", "Add globs to a type: NAME:GLOB, or NAME:include:TYPE,TYPE",
     [](Arguments& to, const std::string& value) {
       to.options.files.type_changes.emplace_back(value, true);
     }},
    {"--type-clear", "TYPE", "Files", "Remove the globs of a type",
     [](Arguments& to, const std::string& value) {
       to.options.files.type_changes.emplace_back(value, false);
     }},
    {"--type-list", "", "Files", "Print the types and their globs",
     [](Arguments& to, const std::string&) { to.options.task = Task::kListTypes; }},
    {"-L,--follow", "", "Files", "Follow symbolic links",
     [](Arguments& to, const std::string&) { to.options.files.follow = true; }},
    {"--no-follow", "", "", "", [](Arguments& to, const std::string&) { to.options.files.follow = false; }},
    {"--max-depth,--maxdepth", "NUM", "Files", "Descend at most NUM folders",
     [](Arguments& to, const std::string& value) {
       to.options.files.max_depth = read_number("--max-depth", value);
     }},
    {"--max-filesize", "SIZE", "Files", "Skip files larger than SIZE, such as 500K, 2M, 1G",
     [](Arguments& to, const std::string& value) {
       to.options.files.max_size = read_size("--max-filesize", value);
     }},
    {"--one-file-system", "", "Files", "Stay on the file system of each path",
     [](Arguments& to, const std::string&) { to.options.files.one_file_system = true; }},
    {"--no-one-file-system", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.one_file_system = false; }},
    {"--sort", "none|path|modified|accessed|created", "Files", "Order of files (default: path)",
     [](Arguments& to, const std::string& value) { set_sort(to, value, false); }},
    {"--sortr", "none|path|modified|accessed|created", "Files", "Like --sort, in descending order",
     [](Arguments& to, const std::string& value) { set_sort(to, value, true); }},
    {"--sort-files", "", "", "", [](Arguments& to, const std::string&) { set_sort(to, "path", false); }},
    {"--include", "GLOB", "Files", "As in GNU grep: search only files whose name matches",
     [](Arguments& to, const std::string& value) { to.options.files.include.push_back(value); }},
    {"--exclude", "GLOB", "Files", "As in GNU grep: skip files whose name matches",
     [](Arguments& to, const std::string& value) { to.options.files.exclude.push_back(value); }},
    {"--exclude-dir", "GLOB", "Files", "As in GNU grep: skip folders whose name matches",
     [](Arguments& to, const std::string& value) { to.options.files.exclude_folders.push_back(value); }},
    {"-R", "", "", "", [](Arguments&, const std::string&) {}},
    {"-a,--text", "", "Files", "Treat binary files as text",
     [](Arguments& to, const std::string&) { to.options.binary = Binary::kText; }},
    {"--no-text", "", "", "", [](Arguments& to, const std::string&) { to.options.binary = Binary::kAuto; }},
    {"--binary", "", "Files", "Also search binary files in folders; report only that they match",
     [](Arguments& to, const std::string&) { to.options.binary = Binary::kSearch; }},
    {"--no-binary", "", "", "", [](Arguments& to, const std::string&) { to.options.binary = Binary::kAuto; }},
    {"-z,--search-zip", "", "Files", "Search gzip, bzip2, xz, lz4, Zstandard and lzma files",
     [](Arguments& to, const std::string&) { to.options.decompress = true; }},
    {"--no-search-zip", "", "", "", [](Arguments& to, const std::string&) { to.options.decompress = false; }},
    {"-E,--encoding", "NAME", "Files",
     "Encoding of files: auto (UTF-8, and UTF-16 with a byte order mark), none, or a name such as latin1, "
     "utf-16le or sjis",
     [](Arguments& to, const std::string& value) { to.options.encoding = value; }},
    {"--no-encoding", "", "", "", [](Arguments& to, const std::string&) { to.options.encoding.clear(); }},
    {"--mmap", "", "Files", "Map files into memory (default: only if few files are named)",
     [](Arguments& to, const std::string&) { to.options.mapped = true; }},
    {"--no-mmap", "", "Files", "Read files instead of mapping them",
     [](Arguments& to, const std::string&) { to.options.mapped = false; }},
    {"--no-messages", "", "Files", "Do not report files that cannot be read",
     [](Arguments& to, const std::string&) { to.options.messages = false; }},
    {"--messages", "", "", "", [](Arguments& to, const std::string&) { to.options.messages = true; }},
};

constexpr Flag kIgnore[] = {
    {"-.,--hidden", "", "Ignored files", "Search hidden files and folders",
     [](Arguments& to, const std::string&) { to.options.files.hidden = true; }},
    {"--no-hidden", "", "", "", [](Arguments& to, const std::string&) { to.options.files.hidden = false; }},
    {"--no-ignore", "", "Ignored files", "Do not read .gitignore, .ignore, .rgignore and the like",
     [](Arguments& to, const std::string&) { set_ignore(to.options.files, false); }},
    {"--ignore", "", "", "", [](Arguments& to, const std::string&) { set_ignore(to.options.files, true); }},
    {"-u,--unrestricted", "", "Ignored files",
     "Once: --no-ignore; twice: and --hidden; three times: and --binary",
     [](Arguments& to, const std::string&) {
       ++to.unrestricted;
       if (to.unrestricted == 1) set_ignore(to.options.files, false);
       if (to.unrestricted == 2) to.options.files.hidden = true;
       if (to.unrestricted == 3 && to.options.binary != Binary::kText) to.options.binary = Binary::kSearch;
     }},
    {"--ignore-file", "PATH", "Ignored files", "Read ignore rules from PATH, in the format of .gitignore",
     [](Arguments& to, const std::string& value) { to.options.files.files.push_back(value); }},
    {"--ignore-file-case-insensitive", "", "Ignored files", "Ignore case in ignore rules",
     [](Arguments& to, const std::string&) { to.options.files.ignore_case = true; }},
    {"--no-ignore-file-case-insensitive", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_case = false; }},
    {"--no-ignore-dot", "", "Ignored files", "Do not read .ignore",
     [](Arguments& to, const std::string&) { to.options.files.ignore_dot = false; }},
    {"--ignore-dot", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_dot = true; }},
    {"--no-ignore-exclude", "", "Ignored files", "Do not read .git/info/exclude",
     [](Arguments& to, const std::string&) { to.options.files.ignore_exclude = false; }},
    {"--ignore-exclude", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_exclude = true; }},
    {"--no-ignore-files", "", "Ignored files", "Do not read the files of --ignore-file",
     [](Arguments& to, const std::string&) { to.options.files.ignore_files = false; }},
    {"--ignore-files", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_files = true; }},
    {"--no-ignore-global", "", "Ignored files", "Do not read git's core.excludesFile",
     [](Arguments& to, const std::string&) { to.options.files.ignore_global = false; }},
    {"--ignore-global", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_global = true; }},
    {"--no-ignore-parent", "", "Ignored files", "Do not read ignore files of the folders above",
     [](Arguments& to, const std::string&) { to.options.files.ignore_parent = false; }},
    {"--ignore-parent", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_parent = true; }},
    {"--no-ignore-vcs", "", "Ignored files", "Do not read .gitignore",
     [](Arguments& to, const std::string&) { to.options.files.ignore_vcs = false; }},
    {"--ignore-vcs", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_vcs = true; }},
    {"--no-ignore-messages", "", "Ignored files", "Do not report faults in ignore files",
     [](Arguments& to, const std::string&) { to.options.files.ignore_messages = false; }},
    {"--ignore-messages", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.ignore_messages = true; }},
    {"--no-require-git", "", "Ignored files", "Read .gitignore outside of git repositories too",
     [](Arguments& to, const std::string&) { to.options.files.require_git = false; }},
    {"--require-git", "", "", "",
     [](Arguments& to, const std::string&) { to.options.files.require_git = true; }},
};

}  // namespace

std::span<const Flag> file_flags() { return kFiles; }
std::span<const Flag> ignore_flags() { return kIgnore; }

}  // namespace lanewise::cli::grep
