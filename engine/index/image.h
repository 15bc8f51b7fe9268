#pragma once

#include <memory>

#include "index/pool.h"
#include "index/storage.h"

// Images and where they are kept.
//
// A commit goes through a journal behind the image's end: the changed groups, a list of their numbers and
// checksums, and a footer at the very end, synced; then the groups go to their places, synced; then the
// journal is cut off. A crash before the first sync is complete leaves the image of the commit before,
// untouched; after it, opening finds the journal whole and takes the groups from there. Nothing but a footer
// whose checksums are all right is believed.

namespace lanewise::index {

/// Writes a new image to storage that is empty.
void write_image(Pool& pool, Storage& storage);

/// Writes what has changed since the storage's image was written or opened. Where it fails it may be tried
/// again, unless `stuck` was set: the journal was complete, and only open_image() can go on.
void commit_image(Pool& pool, Storage& storage, bool& stuck);

/// The image as of the last commit. What a crash left behind is tidied up where the storage is writable.
/// Throws UserError that says what is wrong: no index, another version, cut short, damaged.
std::unique_ptr<Pool> open_image(Storage& storage, MemoryBudget* budget);

}  // namespace lanewise::index
