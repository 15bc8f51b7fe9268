#pragma once

#include <string>
#include <vector>

namespace lanewise::cli {

/// The topics of `lanewise help TOPIC` beyond the commands.
struct Topic {
  std::string name;
  std::string summary;
  std::string text;
};
const std::vector<Topic>& topics();

}  // namespace lanewise::cli
