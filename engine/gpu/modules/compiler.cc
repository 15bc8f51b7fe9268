#include "gpu/modules/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "gpu/error.h"
#include "gpu/modules/build_id.h"

namespace lanewise::gpu {

namespace {

// nvrtcResult
constexpr int kInvalidOption = 5;
constexpr int kCompilation = 6;
/// The version whose `--minimal` we know: without declarations of textures and of CUDA's own functions, which
/// no source of ours calls, a source's front end takes half as long.
constexpr int kMinimal = 13;

namespace fs = std::filesystem;

std::vector<std::string> system_names() {
  if (const char* chosen = std::getenv("LANEWISE_NVRTC"); chosen != nullptr && *chosen != 0) return {chosen};
  std::vector<std::string> names;
  for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
    for (const char* version : {".13", ".12"})
      names.push_back(fmt::format("{}libnvrtc.so{}", folder, version));
  }
  return names;
}

/// Where the loader looks for a library without a folder, as far as we know.
std::vector<std::string> loader_folders() {
  std::vector<std::string> folders;
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  std::istringstream listed(path == nullptr ? "" : path);
  for (std::string folder; std::getline(listed, folder, ':');) folders.push_back(folder + "/");
  for (const char* folder :
       {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib64/", "/usr/lib64/"})
    folders.emplace_back(folder);
  return folders;
}

/// The file that `name` stands for, or nothing.
std::optional<fs::path> find_file(const std::string& name) {
  const bool has_folder = name.find('/') != std::string::npos;
  for (const std::string& folder : has_folder ? std::vector<std::string>{""} : loader_folders()) {
    std::error_code missing;
    if (fs::path file = fs::canonical(folder + name, missing); !missing) return file;
  }
  return std::nullopt;
}

/// NVRTC looks for its built-ins by name: in its own folder only once they are loaded.
Library open(const std::vector<std::string>& names) {
  Library library(names, "NVRTC, CUDA's run-time compiler,",
                  "install the CUDA toolkit or PyPI's nvidia-cuda-nvrtc, or name its file in LANEWISE_NVRTC");
  const fs::path folder = fs::path(library.name()).parent_path();
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libnvrtc-builtins.so")) Library({entry.path()}, name);
  }
  return library;
}

/// The name between the quotes of an #include "...", or nothing.
std::string_view included_name(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool found = line.starts_with(word);
    if (found) line.remove_prefix(word.size());
    return found;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  return line.substr(0, line.find('"'));
}

/// Calls `visit` with each line of `text`.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> included_headers(const KernelSource& source) {
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](std::string_view line) {
    const std::string_view name = included_name(line);
    const auto same = [&](const auto& header) { return header.first == name; };
    if (name.empty() || std::any_of(found.begin(), found.end(), same)) return;
    const auto own = std::find_if(source.headers.begin(), source.headers.end(), same);
    const std::string_view text = own != source.headers.end() ? own->second : embedded_header(name);
    if (!text.empty()) found.emplace_back(name, text);
  };
  for_each_line(source.text, add);
  for (size_t i = 0; i < found.size(); i++) for_each_line(std::string(found[i].second), add);
  return found;
}

const Compiler& Compiler::system() {
  static const Compiler& compiler = *new Compiler(system_names());
  return compiler;
}

std::string Compiler::system_file() {
  for (const std::string& name : system_names()) {
    const std::optional<fs::path> file = find_file(name);
    std::error_code failed;
    if (!file) continue;
    const std::string id = build_id(*file);
    return fmt::format("{} {}", file->filename().string(),
                       id.empty() ? std::to_string(fs::file_size(*file, failed)) : id);
  }
  return "";
}

Compiler::Compiler(const std::vector<std::string>& names) : library_(open(names)) {
  int major = 0, minor = 0;
  call("nvrtcVersion", &major, &minor);
  version_ = fmt::format("{}.{}", major, minor);
  is_minimal_ = major >= kMinimal;
}

template <class... Arguments>
void Compiler::call(const char* function, Arguments... arguments) const {
  const int result = library_.find<int(Arguments...)>(function)(arguments...);
  if (result != 0)
    throw InternalError(fmt::format("NVRTC {}: {} failed with error {}", version_, function, result));
}

std::string Compiler::compile(const KernelSource& source, const std::string& architecture) const {
  std::vector<const char*> names, texts, options;
  const auto headers = included_headers(source);
  for (const auto& [name, text] : headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  const std::string target = "--gpu-architecture=" + architecture;
  options = {target.c_str(), "--std=c++20"};
  if (is_minimal_) options.push_back("--minimal");
#ifdef LANEWISE_EQUAL_HASHES
  options.push_back("-DLANEWISE_EQUAL_HASHES");
#endif
  for (const std::string& option : source.options) options.push_back(option.c_str());

  struct Program {
    const Compiler& compiler;
    void* handle = nullptr;
    ~Program() {
      if (handle != nullptr) compiler.library_.find<int(void**)>("nvrtcDestroyProgram")(&handle);
    }
  } program{*this};
  call("nvrtcCreateProgram", &program.handle, source.text.c_str(), source.name.c_str(),
       static_cast<int>(names.size()), texts.data(), names.data());
  const int result = library_.find<int(void*, int, const char**)>("nvrtcCompileProgram")(
      program.handle, static_cast<int>(options.size()), options.data());
  if (result != 0) {
    size_t size = 0;
    call("nvrtcGetProgramLogSize", program.handle, &size);
    std::string log(size, '\0');
    call("nvrtcGetProgramLog", program.handle, log.data());
    log.resize(std::min(log.size(), log.find('\0')));
    if (result == kInvalidOption && log.find("gpu-architecture") != std::string::npos) {
      throw DeviceError(
          fmt::format("NVRTC {} does not compile for {}; install another version", version_, architecture));
    }
    throw InternalError(fmt::format("kernel {} does not compile for {} (NVRTC {}, error {}){}\n{}",
                                    source.name, architecture, version_, result,
                                    result == kCompilation ? ":" : "", log));
  }
  size_t size = 0;
  call("nvrtcGetCUBINSize", program.handle, &size);
  std::string image(size, '\0');
  call("nvrtcGetCUBIN", program.handle, image.data());
  return image;
}

}  // namespace lanewise::gpu
