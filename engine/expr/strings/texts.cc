#include "expr/strings/texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"

namespace lanewise::expr {

namespace {

constexpr size_t kLargestPiece = size_t{64} << 10;

template <class Offset>
void view_text(const Vector& vector, const ActiveSet& rows, std::string_view* views) {
  const auto* offsets = vector.as<Offset>();
  const auto* bytes = reinterpret_cast<const char*>(vector.bytes);
  rows.for_each([&](uint32_t row) { views[row] = {bytes + offsets[row], offsets[row + 1] - offsets[row]}; });
}

}  // namespace

Texts::Texts(const Vector& vector, const ActiveSet& rows) {
  if (vector.constant) {
    auto* view = rows.arena().allocate<std::string_view>(1);
    *view = vector.is_null(0) ? std::string_view() : vector.text(0);
    views_ = view;
    step_ = 0;
    return;
  }
  if (vector.form == Vector::Form::kValues) {
    views_ = vector.as<std::string_view>();
    return;
  }
  auto* views = rows.arena().allocate<std::string_view>(rows.rows());
  if (vector.form == Vector::Form::kDictionary) {
    rows.for_each(
        [&](uint32_t row) { views[row] = vector.is_null(row) ? std::string_view() : vector.text(row); });
  } else if (vector.wide_offsets) {
    view_text<uint64_t>(vector, rows, views);
  } else {
    view_text<uint32_t>(vector, rows, views);
  }
  views_ = views;
}

Integers::Integers(const Vector& vector, const ActiveSet& rows) : constant_(vector.constant) {
  const Vector plain = vector.constant ? vector : flatten(vector, rows);
  values_ = plain.values;
  wide_ = vector.type.physical() == Physical::kInt64;
}

void check_length(std::string_view function, uint64_t bytes) {
  if (bytes <= kLongestText) return;
  throw UserError(fmt::format("{} would make a string of {}; the longest that there can be has {}", function,
                              format_size(bytes), format_size(kLongestText)));
}

void TextWriter::grow(uint64_t bytes) {
  check_length(function_, bytes);
  if (context_.cancellation != nullptr) context_.cancellation->check();
  const size_t piece = std::max<size_t>(bytes, piece_);
  piece_ = std::min(2 * piece_, kLargestPiece);
  next_ = context_.arena->allocate<char>(piece);
  room_ = piece;
}

}  // namespace lanewise::expr
