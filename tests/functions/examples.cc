#include <cstdio>

#include "expr/function.h"

/// Prints the table of functions, one per line: name, example, documentation, separated by tabs.
int main() {
  for (const lanewise::Function& function : lanewise::functions()) {
    std::printf("%.*s\t%.*s\t%.*s\n", static_cast<int>(function.name.size()), function.name.data(),
                static_cast<int>(function.example.size()), function.example.data(),
                static_cast<int>(function.documentation.size()), function.documentation.data());
  }
  return 0;
}
