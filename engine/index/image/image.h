#pragma once

#include <memory>

#include "index/image/pool.h"
#include "index/image/storage.h"

// Images and their storage.
//
// A commit first writes a journal after the image's end and syncs it: the changed groups, a list of their
// numbers and checksums, and a footer. Then it writes the groups to their places and syncs them, and cuts off
// the journal. A crash before the first sync leaves the image of the previous commit untouched. After the
// first sync, opening finds a complete journal and takes the groups from it. A journal counts only if all
// checksums of its footer match.

namespace lanewise::index {

/// Writes a new image to storage that is empty.
void write_image(Pool& pool, Storage& storage);

/// Writes the changes since the storage's image was written or opened. A failed call may be repeated,
/// unless `stuck` was set: then the journal was complete, and only open_image() can continue.
void commit_image(Pool& pool, Storage& storage, bool& stuck);

/// The image as of the last commit. Remains of a crash are removed if the storage is writable. Throws
/// UserError with the reason: not an index, another version, truncated, damaged.
std::unique_ptr<Pool> open_image(Storage& storage, MemoryBudget* budget);

}  // namespace lanewise::index
