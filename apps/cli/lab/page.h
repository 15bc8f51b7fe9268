#pragma once

#include <map>
#include <string>

namespace lanewise::cli::lab {

struct File {
  std::string type;
  std::string bytes;
};

/// The page's files by path ("/index.html"). They stay in memory, so no request reads a file.
using Page = std::map<std::string, File>;

/// Reads the page: `lab-site` next to the program in a build folder, share/lanewise/lab of an installation,
/// or the folder LANEWISE_LAB. Throws UserError that says how to get it.
Page load_page();

}  // namespace lanewise::cli::lab
