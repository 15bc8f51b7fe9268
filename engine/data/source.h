#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory.h"
#include "data/column.h"
#include "data/value.h"

namespace lanewise {

/// A batch of a scan. Batches of one scan in ascending `order` give the rows in the source's own order.
/// Orders are below 2^38 and need not be dense.
struct ScanBatch {
  uint64_t order = 0;
  Batch batch;
};

/// One thread's share of a scan.
class ScanWorker {
 public:
  virtual ~ScanWorker() = default;
  /// The next batch, or nothing at the end. A worker's batches come in ascending order, and a worker that
  /// starts later starts after all batches that were handed out before. Errors in the data are UserErrors
  /// that name the file and place.
  virtual std::optional<ScanBatch> next() = 0;
};

/// A running scan, shared by threads.
class Scan {
 public:
  virtual ~Scan() = default;
  virtual std::unique_ptr<ScanWorker> worker() = 0;  ///< thread-safe; call once per thread
  virtual size_t max_workers() const = 0;
  virtual double progress() const { return -1; }  ///< 0..1, negative: unknown
};

/// How large a scan's batches should be.
enum class BatchSize : uint8_t {
  kPassing,  ///< for rows that are used at once: small enough to stay in a core's cache
  kKept,     ///< for rows that are kept: as large as the source's own parts, a hundred thousand or more
};

/// Bounds of a column of a scan, of its type; NULL: no bound. Rows with a value outside of them, or NULL, are
/// not needed.
struct NeededRange {
  size_t column;  ///< of the batches
  Value least;
  Value greatest;
};

class DeviceRows;

/// A source of rows: a file, a table.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string name() const = 0;  ///< for messages: a path or a table's name
  virtual const Schema& schema() const = 0;
  /// Identifies the content: (path, size, mtime, inode), or (database, write generation). Empty: never cache
  /// its columns.
  virtual std::string identity() const = 0;
  virtual int64_t estimated_rows() const = 0;  ///< negative: unknown
  /// Starts reading the given columns of all rows; batches have them in this order.
  virtual std::unique_ptr<Scan> scan(const std::vector<size_t>& columns, BatchSize size, MemoryBudget* budget,
                                     const Cancellation* cancellation) const = 0;
  /// The same for rows that are used at once. It may leave out rows that are not in all of the ranges.
  virtual std::unique_ptr<Scan> scan_within(const std::vector<size_t>& columns,
                                            const std::vector<NeededRange>& /*ranges*/, MemoryBudget* budget,
                                            const Cancellation* cancellation) const {
    return scan(columns, BatchSize::kPassing, budget, cancellation);
  }
  /// Its rows in device memory, see device_rows.h; null if they are not there.
  virtual const DeviceRows* device_rows() const { return nullptr; }
};

/// Opens files as one source. Throws UserError that names the file.
using OpenFiles = std::function<std::shared_ptr<const Source>(std::vector<std::string> paths)>;

}  // namespace lanewise
