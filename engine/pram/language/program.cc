#include "pram/language/program.h"

#include "pram/language/check.h"
#include "pram/language/lint.h"
#include "pram/language/parser.h"

namespace lanewise::pram {

Program Program::parse(std::string text, std::string file) {
  auto held = std::make_shared<Held>();
  held->text = std::move(text);
  held->file = std::move(file);
  std::vector<Diagnostic> diagnostics;
  const syntax::Program syntax = pram::parse(held->text, diagnostics);
  held->tree = check(syntax, diagnostics);
  if (!diagnostics.empty()) throw ProgramError(std::move(diagnostics), held->text, held->file);
  held->warnings = lint(held->tree);
  Program program;
  program.held_ = std::move(held);
  return program;
}

}  // namespace lanewise::pram
