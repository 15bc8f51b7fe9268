// A substitute for NVRTC that compiles a kernel's text to a library of the host, with the C++ compiler that
// built it.
//
// Environment: EMULATED_GPU_CXX (the compiler and its first options), for example "g++ -fsanitize=undefined";
// EMULATED_GPU_CACHE, a folder that keeps what was compiled for other processes, as long as no header
// changes.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/testing/emulator/image.h"

namespace fs = std::filesystem;

namespace {

constexpr int kCompilation = 6;  // nvrtcResult

struct Program {
  std::string text, log, image;
  std::vector<std::pair<std::string, std::string>> headers;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The position of `word` in `text`, searched from `at`.
size_t find_word(const std::string& text, const std::string& word, size_t at) {
  for (; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) break;
  }
  return at;
}

/// The position after the bracket that closes the one at `at`. Of literals, only strings may contain
/// brackets.
size_t behind_closing(const std::string& text, size_t at) {
  for (int depth = 0; at < text.size(); at++) {
    const char c = text[at];
    if (c == '"') {
      while (text[++at] != '"') at += text[at] == '\\';
    } else if (c == '(' || c == '{') {
      depth++;
    } else if ((c == ')' || c == '}') && --depth == 0) {
      return at + 1;
    }
  }
  return at;
}

/// The kernels and shared memory of a preprocessed source as C++; each kernel is followed by the code that
/// starts it.
std::string translate(std::string text) {
  const std::string kernel = "LANEWISE_KERNEL", shared = "LANEWISE_SHARED";
  for (size_t at = 0; (at = find_word(text, kernel, at)) != std::string::npos;) {
    text.replace(at, kernel.size(), "");
    const size_t parameters = text.find('(', at);
    size_t end = parameters;
    while (!is_word(text[end - 1])) end--;
    size_t begin = end;
    while (is_word(text[begin - 1])) begin--;
    const std::string name = text.substr(begin, end - begin);
    const size_t body = text.find_first_of("{;", behind_closing(text, parameters));
    if (body == std::string::npos || text[body] == ';') continue;  // declared
    text.insert(behind_closing(text, body),
                "\nextern \"C\" __attribute__((visibility(\"default\"))) void lanewise_start_" + name +
                    "(void** arguments) { lanewise::emulator::start(" + name +
                    ", arguments); }\nextern \"C\" __attribute__((visibility(\"default\"))) const unsigned* "
                    "lanewise_sizes_" +
                    name + "() { return lanewise::emulator::sizes(" + name + "); }\n");
  }
  for (size_t at = 0; (at = find_word(text, shared, at)) != std::string::npos;) {
    const size_t before = text.find_last_not_of(" \t\n", at - 1), from = before < 5 ? at : before - 5;
    if (text.compare(from, 6, "extern") != 0) {
      // An alignas goes before the words that replace this one.
      const size_t next = text.find_first_not_of(" \t\n", at + shared.size());
      const size_t behind = text.compare(next, 7, "alignas") == 0 ? behind_closing(text, next + 7) : next;
      text.replace(at, behind - at, text.substr(next, behind - next) + " static thread_local ");
      continue;
    }
    // extern SHARED Type name[];
    const size_t bracket = text.find('[', at), end = text.find(';', at);
    size_t name = bracket;
    while (is_word(text[name - 1])) name--;
    const std::string type = text.substr(at + shared.size(), name - at - shared.size());
    text.replace(from, end - from,
                 type + "* const " + text.substr(name, bracket - name) + " = reinterpret_cast<" + type +
                     "*>(lanewise::emulator::services->place().shared)");
  }
  return text;
}

/// Not with system(), during which the whole process ignores Ctrl-C.
int run(const std::string& command) {
  const char* arguments[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t shell;
  if (posix_spawn(&shell, "/bin/sh", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0) return 1;
  int status = 0;
  while (waitpid(shell, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::string compiler() {
  const char* chosen = std::getenv("EMULATED_GPU_CXX");
  return chosen ? chosen : EMULATED_GPU_COMPILER;
}

/// FNV-1a from two initial values, in hexadecimal.
std::string hash_of(std::initializer_list<std::string> texts) {
  std::ostringstream hex;
  for (uint64_t hash : {0xcbf29ce484222325U, 0x9ae16a3b2f90404fU}) {
    for (const std::string& text : texts) {
      for (const char c : text + '\0') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    hex << std::hex << hash << '-';
  }
  return hex.str();
}

/// Where the compiled program is kept; empty: nowhere.
fs::path kept_at(const Program& program, const std::string& definitions) {
  const char* folder = std::getenv("EMULATED_GPU_CACHE");
  if (folder == nullptr) return {};
  std::string headers;
  for (const auto& [name, text] : program.headers) headers += name + '\0' + text + '\0';
  return fs::path(folder) / (hash_of({compiler(), definitions, program.text, headers}) + "kernel.so");
}

/// Keeps what was compiled in `folder`; under a temporary name first, as other processes look for the file.
void keep(const fs::path& path, const fs::path& folder) {
  const fs::path aside = path.string() + "-" + folder.filename().string();
  write(aside, read(folder / "kernel.so"));
  fs::rename(aside, path);
}

void set_image(Program& program, const std::string& code) {
  lanewise::emulator::ImageHead head = {};
  std::memcpy(head.magic, lanewise::emulator::kImageMagic, sizeof(head.magic));
  head.bytes = code.size();
  program.image.assign(reinterpret_cast<const char*>(&head), sizeof(head));
  program.image += code;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

/// In a folder that is empty and ours.
int compile(Program& program, const std::string& definitions, const fs::path& folder) {
  for (const auto& [name, text] : program.headers) write(folder / name, text);
  write(folder / "kernel.cc", definitions + "#line 1 \"kernel\"\n" + program.text);
  const std::string command = compiler() + " -std=c++20 ";
  const std::string preprocess = command + "-E -P -include " +
                                 quoted(EMULATED_GPU_ENGINE "/gpu/testing/emulator/prelude.h") +
                                 " -idirafter " + quoted(EMULATED_GPU_ENGINE) + " -iquote " + quoted(folder);
  const std::string log = " 2>>" + quoted(folder / "log"), text = quoted(folder / "translated.cc"),
                    library = quoted(folder / "kernel.so");
  int result = run(preprocess + " " + quoted(folder / "kernel.cc") + " -o " + text + log);
  if (result == 0) {
    write(folder / "translated.cc", translate(read(folder / "translated.cc")));
    result = run(command +
                 "-O0 -w -fno-strict-aliasing -ffp-contract=off -fvisibility=hidden -fno-gnu-unique -fPIC "
                 "-shared -x c++ " +
                 text + " -o " + library + log);
  }
  program.log = read(folder / "log");
  if (result != 0) return kCompilation;
  set_image(program, read(folder / "kernel.so"));
  return 0;
}

}  // namespace

extern "C" {

// Increment it when the same text is translated differently: kernel caches depend on it.
int nvrtcVersion(int* major, int* minor) { return *major = 0, *minor = 2, 0; }

int nvrtcCreateProgram(Program** program, const char* text, const char*, int count, const char** texts,
                       const char** names) {
  *program = new Program{.text = text, .log = {}, .image = {}, .headers = {}};
  for (int i = 0; i < count; i++) (*program)->headers.emplace_back(names[i], texts[i]);
  return 0;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}

int nvrtcCompileProgram(Program* program, int count, const char** options) {
  std::string definitions;
  for (int i = 0; i < count; i++) {
    if (std::strncmp(options[i], "-D", 2) != 0) continue;  // the other options are for machine code
    std::string definition = options[i] + 2;
    const size_t equal = definition.find('=');
    if (equal == std::string::npos)
      definition += " 1";
    else
      definition[equal] = ' ';
    definitions += "#define " + definition + "\n";
  }
  const fs::path kept = kept_at(*program, definitions);
  if (!kept.empty() && fs::exists(kept)) return set_image(*program, read(kept)), 0;
  std::string folder = fs::temp_directory_path() / "emulated-nvrtc-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const int result = compile(*program, definitions, folder);
  if (result == 0 && !kept.empty()) keep(kept, folder);
  if (std::getenv("EMULATED_GPU_KEEP") == nullptr) fs::remove_all(folder);
  return result;
}

int nvrtcGetProgramLogSize(Program* program, size_t* size) { return *size = program->log.size() + 1, 0; }
int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}
int nvrtcGetCUBINSize(Program* program, size_t* size) { return *size = program->image.size(), 0; }
int nvrtcGetCUBIN(Program* program, char* image) {
  std::memcpy(image, program->image.data(), program->image.size());
  return 0;
}

}  // extern "C"
