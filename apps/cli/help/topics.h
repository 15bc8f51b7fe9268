#pragma once

#include <string>
#include <vector>

namespace lanewise::cli {

/// What `lanewise help TOPIC` explains beyond the commands.
struct Topic {
  std::string name;
  std::string summary;
  std::string text;
};
const std::vector<Topic>& topics();

}  // namespace lanewise::cli
