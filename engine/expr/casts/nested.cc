#include <algorithm>

#include "expr/casts/convert.h"
#include "expr/vectors/elements.h"

namespace lanewise::expr {

namespace {

bool is_struct(Type type) { return type.id == TypeId::kStruct; }
bool is_map(Type type) { return type.id == TypeId::kMap; }

bool same_name(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

bool unnamed(Type type) { return type.members().empty() || type.members()[0].name.empty(); }

/// For each field of `to` the field of `from` from which it is made, SIZE_MAX: none. Names decide if both
/// have some.
std::vector<size_t> sources(Type from, Type to) {
  std::vector<size_t> result;
  for (size_t i = 0; i < to.members().size(); ++i) {
    size_t source = i < from.members().size() ? i : SIZE_MAX;
    if (!unnamed(from) && !unnamed(to)) {
      const auto found = std::ranges::find_if(
          from.members(), [&](const Member& member) { return same_name(member.name, to.members()[i].name); });
      source = found == from.members().end() ? SIZE_MAX : static_cast<size_t>(found - from.members().begin());
    }
    result.push_back(source);
  }
  return result;
}

Vector struct_to_struct(const CastJob& job) {
  EvalContext context{.arena = &job.arena};
  std::vector<Vector> fields;
  const std::vector<size_t> from = sources(job.from.type, job.to);
  for (size_t i = 0; i < from.size(); ++i) {
    const Type type = job.to.members()[i].type;
    fields.push_back(from[i] == SIZE_MAX ? null_vector(type, job.arena)
                                         : cast(field_of(job.from, from[i], job.rows), type, job.try_cast,
                                                job.rows, context));
  }
  return structs_of(job.to, fields, job.rows);
}

/// Lists and arrays into one another, maps into maps.
Vector list_to_list(const CastJob& job) {
  EvalContext context{.arena = &job.arena};
  const Elements elements = elements_of(job.from, job.rows);
  ActiveSet rows = job.rows;
  uint64_t* validity = nullptr;
  if (job.to.id == TypeId::kArray) {
    const uint32_t size = job.to.nested->size;
    job.rows.for_each([&](uint32_t row) {
      const uint32_t count = elements.starts[row + 1] - elements.starts[row];
      if (count == size) return;
      if (!job.try_cast) {
        throw ConversionError("Cannot cast list with length " + std::to_string(count) +
                                  " to array with length " + std::to_string(size),
                              row);
      }
      if (validity == nullptr) validity = all_ones(job.rows.rows(), job.arena);
      bits::clear(validity, row);
    });
    if (validity != nullptr) rows = rows.narrowed(validity);
  }
  Vector values;
  try {
    values =
        cast(elements.values, job.to.element(), job.try_cast, ActiveSet(elements.count, job.arena), context);
  } catch (const ConversionError& error) {
    throw ConversionError(error.what());  // the row is an element's, not a chunk's
  }
  Vector result = lists_of(job.to, values, elements.starts, rows);
  result.validity = validity;
  return result;
}

}  // namespace

bool can_cast_members(Type from, Type to) {
  if (is_struct(from) != is_struct(to) || is_map(from) != is_map(to)) return false;
  if (!is_struct(from)) return can_cast(from.element(), to.element());
  const std::vector<size_t> source = sources(from, to);
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != SIZE_MAX && !can_cast(from.members()[source[i]].type, to.members()[i].type))
      return false;
  }
  return true;
}

Vector nested_to_nested(const CastJob& job) {
  return is_struct(job.from.type) ? struct_to_struct(job) : list_to_list(job);
}

}  // namespace lanewise::expr
