#pragma once

#include <span>
#include <string_view>

#include "pram/language/program.h"

namespace lanewise::pram {

/// A textbook program that comes with Lanewise.
struct LibraryProgram {
  std::string_view name;
  std::string_view text;

  /// The first line of its comment.
  std::string_view summary() const;
};

/// All of programs/*.pram, by name.
std::span<const LibraryProgram> library();

/// The program of that name; throws UserError that names the closest one, or all.
Program library_program(std::string_view name);

}  // namespace lanewise::pram
