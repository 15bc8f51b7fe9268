#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pram/tree/diagnostic.h"
#include "pram/tree/tree.h"

namespace lanewise::pram {

/// A parsed and checked program. Immutable; copies share everything.
class Program {
 public:
  /// Throws ProgramError with all errors. `file` is the name that they show.
  static Program parse(std::string text, std::string file = "program");

  const Tree& tree() const { return held_->tree; }
  const std::string& text() const { return held_->text; }
  const std::string& file() const { return held_->file; }
  /// Likely mistakes: unused variables, conditions that never hold, certain conflicts.
  const std::vector<Diagnostic>& warnings() const { return held_->warnings; }
  std::string render(const Diagnostic& diagnostic) const { return pram::render(diagnostic, text(), file()); }

 private:
  struct Held {
    std::string text;
    std::string file;
    Tree tree;
    std::vector<Diagnostic> warnings;
  };
  std::shared_ptr<const Held> held_;
};

}  // namespace lanewise::pram
