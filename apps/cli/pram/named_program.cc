#include "pram/named_program.h"

#include "pram/library.h"
#include "read_file.h"

namespace lanewise::cli::pram_command {

namespace {

bool is_library_name(const std::string& name) {
  return name.find('.') == std::string::npos && name.find('/') == std::string::npos && name != "-";
}

}  // namespace

std::string program_text(const std::string& name) {
  return is_library_name(name) ? std::string(pram::library_program(name).text()) : read_file(name);
}

pram::Program load_program(const std::string& name) {
  if (is_library_name(name)) return pram::library_program(name);
  return pram::Program::parse(read_file(name), name == "-" ? "program" : name);
}

}  // namespace lanewise::cli::pram_command
