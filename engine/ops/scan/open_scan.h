#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/run/options.h"
#include "ops/scan/column_store.h"
#include "ops/scan/input.h"
#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

/// An opened scan.
struct OpenScan {
  std::unique_ptr<Input> input;
  bool hot = false;  ///< all columns were in the store
  std::string note;  ///< for the profile: the source of the rows, and what was skipped
  std::vector<ColumnStore::Chunks> columns;  ///< from the store; empty: read from the source
};

/// Opens a scan: from the column store if it has all columns, else from the source. If the store has some of
/// them, the others are read into it first, as far as memory allows. `predicates`, over the scan's columns,
/// decide which zones are skipped; the caller still evaluates them. `order`: see read_stored(),
/// `expands`: see slicing_for().
OpenScan open_scan(const plan::Scan& scan, const std::vector<ExprPtr>& predicates,
                   const std::optional<InputOrder>& order, const Options& options, bool expands = false);

/// All rows of some columns of a source: from the column store, or else read, and cached if the options say
/// so. Throws MemoryError.
std::vector<ColumnStore::Chunks> read_columns(const Source& source, const std::vector<size_t>& columns,
                                              const Options& options);

}  // namespace lanewise::ops
