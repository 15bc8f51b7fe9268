#include "lab/page.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "input/read_file.h"

namespace lanewise::cli::lab {

namespace {

namespace fs = std::filesystem;

std::string type_of(const std::string& extension) {
  static const std::map<std::string, std::string> types = {{".html", "text/html; charset=utf-8"},
                                                           {".js", "text/javascript; charset=utf-8"},
                                                           {".css", "text/css; charset=utf-8"},
                                                           {".wasm", "application/wasm"},
                                                           {".svg", "image/svg+xml"}};
  const auto found = types.find(extension);
  return found == types.end() ? "application/octet-stream" : found->second;
}

std::vector<fs::path> places() {
  if (const char* folder = std::getenv("LANEWISE_LAB"); folder != nullptr && *folder != '\0') return {folder};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {program / "lab-site", program.parent_path() / "share/lanewise/lab"};
}

/// A mark shows the page that it has a server: a request to find out would fail without one.
void mark_served(std::string& html) {
  constexpr std::string_view kBegin = "<html";
  if (const size_t at = html.find(kBegin); at != std::string::npos)
    html.insert(at + kBegin.size(), " data-server");
}

}  // namespace

Page load_page() {
  std::string searched;
  for (const fs::path& folder : places()) {
    if (!fs::exists(folder / "index.html")) {
      searched += fmt::format("\n  {}", folder.string());
      continue;
    }
    Page page;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = "/" + entry.path().lexically_relative(folder).generic_string();
      page[path] = {type_of(entry.path().extension()), read_file(entry.path())};
    }
    mark_served(page["/index.html"].bytes);
    page["/"] = page["/index.html"];
    return page;
  }
  throw UserError(
      "the lab's page is missing; './dev lab-site' builds it next to a program that './dev build' made, "
      "packages "
      "contain it, and LANEWISE_LAB names its folder. Searched:" +
      searched);
}

}  // namespace lanewise::cli::lab
