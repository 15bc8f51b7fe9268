#include "codegen/column_form.h"

#include "codegen/keys-inl.h"
#include "expr/codegen/emitter.h"

namespace lanewise::codegen {

ColumnForm form_of(const DeviceColumn& column, std::optional<size_t> probe) {
  const DeviceColumn& texts = column.dictionary ? *column.dictionary : column;
  return {column.type,
          bool(column.validity),
          column.dictionary != nullptr,
          texts.wide_offsets,
          column.type.is_string() && texts.longest <= kernel::Key<kernel::Text>::kInside,
          probe};
}

std::string memory_type(const ColumnForm& form) {
  if (form.dictionary) return "u32";
  if (form.type.is_string() || form.type.id == TypeId::kBool) return "u8";
  return expr::device_type(form.type);
}

bool is_fixed(const ColumnForm& form) { return form.dictionary || !form.type.is_string(); }

}  // namespace lanewise::codegen
