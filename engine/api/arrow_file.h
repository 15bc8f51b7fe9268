#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrow/arrow.h"
#include "data/source.h"

namespace lanewise {

/// Arrow IPC files (Feather version 2) and streams, also compressed with LZ4 or Zstandard, as one source.
/// Each scan reads them again. Throws UserError that names the file if it cannot be opened, is not an Arrow
/// file, has a column of an unsupported type, or has columns that differ from those of the first file.
std::shared_ptr<const Source> arrow_files(std::vector<std::string> paths);

enum class ArrowFormat : uint8_t { kFile, kStream };

/// Writes the rows of a stream and releases it, even after an error. `write` receives the bytes in order;
/// exceptions propagate. Throws UserError if the stream fails or the format does not support a type.
void write_arrow(ArrowArrayStream* rows, ArrowFormat format,
                 const std::function<void(std::string_view)>& write);

}  // namespace lanewise
