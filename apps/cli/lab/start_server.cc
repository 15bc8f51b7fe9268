#include <fstream>
#include <string>
#include <vector>

#include "lab/serve.h"
#include "sibling.h"

namespace lanewise::cli::lab {

ExitCode serve(const ServerOptions& /*options*/, bool /*open_browser*/) {
  std::ifstream file("/proc/self/cmdline");  // lanewise-lab reads the same options again
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return static_cast<ExitCode>(run_sibling("lanewise-lab", argv.data()));
}

}  // namespace lanewise::cli::lab
