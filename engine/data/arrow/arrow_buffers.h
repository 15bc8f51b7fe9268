#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "data/arrow/arrow.h"
#include "data/arrow/arrow_form.h"

namespace lanewise::arrow {

/// Bytes of a value in a column's second buffer. Not for bits, strings with offsets and NULLs.
size_t row_bytes(const Form& form);

/// Makes a new buffer from a buffer and returns its address. `from` is not null; `bytes` is the size that
/// the array uses.
using TakeBuffer =
    std::function<const void*(const ArrowSchema& field, int64_t index, const void* from, size_t bytes)>;

/// The direction of a copy: which of its two sides this process can read.
enum class Readable : uint8_t { kFrom, kCopy };

/// An array of `field` (a struct or a column) like `from`, with buffers made by `take`;
/// offsets of slices stay. `owner` keeps them alive: the copy, and each child that is moved out of it, hold
/// it. Throws UserError that names the field if a buffer is missing or null, and what `take` throws.
ArrowArray copy_array(const ArrowSchema& field, const ArrowArray& from, Readable readable,
                      const TakeBuffer& take, const std::shared_ptr<const void>& owner);

}  // namespace lanewise::arrow
