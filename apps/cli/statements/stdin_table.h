#pragma once

#include <string>

#include "api/session.h"

namespace lanewise::cli {

/// Standard input as the table '-': Parquet, JSON or CSV, also compressed. A pipe is copied to a file without
/// a name, so that it can be read in parallel and more than once.
class StdinTable {
 public:
  /// Whether a statement contains FROM '-' or JOIN '-'.
  static bool named_in(const std::string& sql);
  /// Throws UserError if standard input is empty or a terminal, or if the disk is full.
  explicit StdinTable(Session& session);
  StdinTable(const StdinTable&) = delete;
  StdinTable& operator=(const StdinTable&) = delete;
  ~StdinTable();

 private:
  int file_ = -1;
};

}  // namespace lanewise::cli
