#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lanewise::cli::grep {

/// Bytes in order, from a descriptor or unpacked on the way.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Writes up to `size` bytes to `to`, at least one before the end; returns how many. Throws UserError.
  virtual size_t read(uint8_t* to, size_t size) = 0;
};

/// Whether a file that begins so is one that decoded_stream() unpacks.
bool is_compressed(std::string_view head, std::string_view name);
inline constexpr size_t kMagicBytes = 6;

/// The bytes of a descriptor as they are. It is not closed.
std::unique_ptr<ByteStream> plain_stream(int descriptor);

/// The bytes of a descriptor, unpacked where they begin as gzip, Zstandard, bzip2, xz or lz4 do, or `name` is
/// one of .lzma. Throws UserError for formats that are known and not supported: .Z, Brotli.
std::unique_ptr<ByteStream> decoded_stream(int descriptor, std::string_view name);

}  // namespace lanewise::cli::grep
