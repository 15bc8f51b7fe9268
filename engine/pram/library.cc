#include "pram/library.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "pram/language/names.h"

namespace lanewise::pram {

std::string_view LibraryProgram::summary() const {
  std::string_view line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.front() == '#' || line.front() == ' ')) line.remove_prefix(1);
  return line;
}

std::span<const LibraryProgram> library() {
  static constexpr LibraryProgram kPrograms[] = {
#include <pram_programs.inc>
  };
  return kPrograms;
}

Program library_program(std::string_view name) {
  std::string known;
  for (const LibraryProgram& program : library()) {
    if (program.name == name) return Program::parse(std::string(program.text), fmt::format("{}.pram", name));
    known += fmt::format("{}{}", known.empty() ? "" : ", ", program.name);
  }
  const auto closer = [&](const LibraryProgram& a, const LibraryProgram& b) {
    return edit_distance(name, a.name) < edit_distance(name, b.name);
  };
  const auto near = std::min_element(library().begin(), library().end(), closer);
  constexpr size_t kTypos = 2;
  if (edit_distance(name, near->name) <= kTypos)
    throw UserError(
        fmt::format("there is no program '{}' in the library; did you mean '{}'?", name, near->name));
  throw UserError(fmt::format("there is no program '{}' in the library; there are: {}", name, known));
}

}  // namespace lanewise::pram
