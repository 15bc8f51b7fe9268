#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "pram/tree/diagnostic.h"
#include "pram/tree/value.h"

/// The abstract syntax tree, made by the parser and read by the checker. All strings point into the
/// program's text.
namespace lanewise::pram::syntax {

struct Expr {
  enum class Kind : uint8_t {
    kInteger,
    kReal,
    kTrue,
    kFalse,
    kName,
    kElement,   ///< text[args...]
    kCall,      ///< text(args...)
    kUnary,     ///< text args[0]
    kBinary,    ///< args[0] text args[1]
    kChoice,    ///< args[0] ? args[1] : args[2]
    kMistaken,  ///< an error that the parser has reported; no further errors follow from it
  };

  Kind kind = Kind::kMistaken;
  Place place;
  std::string_view text;
  std::vector<Expr> args;
  uint32_t height = 1;  ///< of the tree
};

struct Name {
  std::string_view text;
  Place place;
};

struct Dimension {
  Name name;
  Expr extent;
};

struct Statement {
  enum class Kind : uint8_t {
    kAssign,      ///< targets = values
    kPrivate,     ///< a private variable `name`, with `values[0]` if it has one
    kIf,          ///< condition, body, otherwise
    kWhile,       ///< condition, body
    kFor,         ///< name = values[0] to values[1] step values[2]
    kProcessors,  ///< dimensions, body
  };

  Kind kind = Kind::kAssign;
  Place place;  ///< of its first word, or of the assignment
  Name name;
  std::optional<Type> type;
  std::vector<Expr> targets;  ///< variables and elements
  std::vector<Expr> values;
  Expr condition;
  bool down = false;
  std::vector<Dimension> dimensions;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
};

struct Declaration {
  enum class Kind : uint8_t { kInput, kOutput, kInout, kShared, kConst };

  Kind kind = Kind::kShared;
  Name name;
  std::optional<Type> type;
  std::vector<Expr> extents;
  std::optional<Expr> value;
  std::optional<Name> combining;  ///< the operator
};

struct Function {
  struct Parameter {
    Name name;
    Type type;
  };

  Name name;
  std::vector<Parameter> parameters;
  Type type = Type::kInt;
  Expr value;
};

struct Program {
  std::vector<Name> mode;  ///< the words after `mode`
  std::vector<Declaration> declarations;
  std::vector<Function> functions;
  std::optional<Place> header;        ///< of `processors n` for the whole program
  std::vector<Dimension> dimensions;  ///< of the header
  std::vector<Statement> body;
};

}  // namespace lanewise::pram::syntax
