#include "pram/named_program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "input/read_file.h"
#include "pram/library.h"

namespace lanewise::cli::pram_command {

namespace {

bool is_library_name(const std::string& name) {
  return name.find('.') == std::string::npos && name.find('/') == std::string::npos && name != "-";
}

/// The text of a program's file. Throws UserError for a binary file, whose bytes would be an error each.
std::string text_in_file(const std::string& name) {
  std::string text = read_file(name);
  if (text.find('\0') != std::string::npos)
    throw UserError(fmt::format("'{}' is not a PRAM program: it is a binary file", name));
  return text;
}

}  // namespace

std::string program_text(const std::string& name) {
  return is_library_name(name) ? std::string(pram::library_program(name).text()) : text_in_file(name);
}

pram::Program load_program(const std::string& name) {
  if (is_library_name(name)) return pram::library_program(name);
  return pram::Program::parse(text_in_file(name), name == "-" ? "program" : name);
}

}  // namespace lanewise::cli::pram_command
