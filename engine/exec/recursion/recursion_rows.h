#pragma once

#include <memory>
#include <vector>

#include "exec/recursion/known_rows.h"

namespace lanewise::exec {

/// The rows that a recursion has returned so far. Those of large rounds are compared with them by several
/// threads, each of which has the keys of a part.
class RecursionRows {
 public:
  /// As KnownRows; the recursion and the schema outlive it.
  RecursionRows(const plan::Recursion& recursion, const Schema& schema, MemoryBudget* budget,
                const Cancellation* cancellation);

  /// As KnownRows::add(). In parts, the rows of each part come in their order, after one another.
  Table add(Table round);
  Table all() const;

 private:
  void add_part();
  std::vector<Table> split(const Table& rows) const;
  Table add_to_parts(const Table& rows);

  const plan::Recursion& recursion_;
  const Schema& schema_;
  MemoryBudget* budget_;
  const Cancellation* cancellation_;
  std::vector<std::unique_ptr<KnownRows>> parts_;
};

}  // namespace lanewise::exec
