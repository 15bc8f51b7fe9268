#include <cstdio>

#include "expr/function.h"
#include "expr/functions/functions.h"
#include "expr/nested/functions.h"

/// Prints the table of functions, one per line, separated by tabs: name, example, documentation, and "cores"
/// if it runs only there.
int main() {
  const auto is_nested = [](const lanewise::Function& function) {
    for (const lanewise::Function& nested : lanewise::nested_functions()) {
      if (nested.name == function.name && nested.example == function.example) return true;
    }
    return false;
  };
  for (const lanewise::Function& function : lanewise::functions()) {
    std::printf("%.*s\t%.*s\t%.*s\t%s\n", static_cast<int>(function.name.size()), function.name.data(),
                static_cast<int>(function.example.size()), function.example.data(),
                static_cast<int>(function.documentation.size()), function.documentation.data(),
                is_nested(function) || function.varies ? "cores" : "");
  }
  return 0;
}
