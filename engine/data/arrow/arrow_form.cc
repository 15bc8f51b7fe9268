#include "data/arrow/arrow_form.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "data/union_type.h"

namespace lanewise::arrow {

void refuse(const ArrowSchema& field, const char* what) {
  throw UserError(fmt::format("Arrow field '{}' (format '{}'): {}", field.name == nullptr ? "" : field.name,
                              field.format == nullptr ? "" : field.format, what));
}

namespace {

/// "9,2" or "9,2,32" of a decimal's format.
Form decimal_form(const ArrowSchema& field, std::string_view text) {
  int numbers[3] = {0, 0, 128};
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc()) refuse(field, "not a decimal format");
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
  const auto [precision, scale, width] = numbers;
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
    refuse(field, "decimals have 1 to 38 digits, of them 0 to all after the point");
  }
  if (width != 32 && width != 64 && width != 128) refuse(field, "decimals of this width are not supported");
  return {Type::decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale)), Layout::kDecimal,
          width / 8};
}

int32_t take_number(const char*& at) {
  int32_t number;
  std::memcpy(&number, at, sizeof(number));
  at += sizeof(number);
  return number;
}

std::string_view take_text(const char*& at) {
  const auto size = static_cast<size_t>(take_number(at));
  const std::string_view text(at, size);
  at += size;
  return text;
}

/// The value of a key in the field's metadata: their number, then each one's length and bytes.
std::string_view metadata(const ArrowSchema& field, std::string_view key) {
  const char* at = field.metadata;
  for (int32_t pairs = at == nullptr ? 0 : take_number(at); pairs > 0; --pairs) {
    const std::string_view name = take_text(at), value = take_text(at);
    if (name == key) return value;
  }
  return {};
}

Type child_type(const ArrowSchema& field, int64_t child) {
  const ArrowSchema& held = *field.children[child];
  return form_of(held.dictionary != nullptr ? *held.dictionary : held).type;
}

std::vector<Member> members_of(const ArrowSchema& field) {
  std::vector<Member> members;
  for (int64_t i = 0; i < field.n_children; ++i) {
    const char* name = field.children[i]->name;
    members.push_back({name == nullptr ? "" : name, child_type(field, i)});
  }
  return members;
}

/// "+l", "+L", "+w:3", "+s", "+m", "+us:0,1", "+ud:0,1".
Form nested_form(const ArrowSchema& field, std::string_view format) {
  const bool is_struct = format == "+s";
  if (field.n_children < (is_struct ? 0 : 1)) refuse(field, "the element's type is missing");
  if (is_struct) return {Type::structure(members_of(field)), Layout::kNested};
  if (format.starts_with("+u")) {
    union_children(field);
    return {union_type(members_of(field)), Layout::kUnion, format.starts_with("+ud") ? 4 : 0};
  }
  const Type element = child_type(field, 0);
  if (format == "+l" || format == "+L") return {Type::list(element), Layout::kNested, format == "+l" ? 4 : 8};
  if (format == "+m") {
    if (element.id != TypeId::kStruct || element.members().size() != 2)
      refuse(field, "a map's entries are not pairs");
    return {Type::map(element.members()[0].type, element.members()[1].type), Layout::kNested, 4};
  }
  uint32_t size = 0;
  const std::string_view digits = format.starts_with("+w:") ? format.substr(3) : "";
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    refuse(field, "this type is not supported");
  return {Type::array(element, size), Layout::kNested};
}

}  // namespace

std::array<int16_t, 128> union_children(const ArrowSchema& field) {
  std::string_view ids(field.format);
  if (!ids.starts_with("+us:") && !ids.starts_with("+ud:")) refuse(field, "this type is not supported");
  std::array<int16_t, 128> children;
  children.fill(-1);
  int16_t child = 0;
  for (ids.remove_prefix(4); !ids.empty(); ++child) {
    size_t id = 0;
    const auto [end, error] = std::from_chars(ids.data(), ids.data() + ids.size(), id);
    if (error != std::errc() || id >= children.size()) refuse(field, "not type ids of a union");
    children[id] = child;
    ids.remove_prefix(static_cast<size_t>(end - ids.data()));
    if (ids.starts_with(',')) ids.remove_prefix(1);
  }
  if (child != field.n_children) refuse(field, "a union has as many type ids as members");
  return children;
}

Form form_of(const ArrowSchema& field) {
  const std::string_view format = field.format == nullptr ? "" : field.format;
  struct Known {
    std::string_view format;
    Form form;
  };
  static const Known kKnown[] = {
      {"n", {TypeId::kNull, Layout::kNull}},
      {"b", {TypeId::kBool, Layout::kBits}},
      {"c", {TypeId::kInt8, Layout::kSame}},
      {"C", {TypeId::kUInt8, Layout::kSame}},
      {"s", {TypeId::kInt16, Layout::kSame}},
      {"S", {TypeId::kUInt16, Layout::kSame}},
      {"i", {TypeId::kInt32, Layout::kSame}},
      {"I", {TypeId::kUInt32, Layout::kSame}},
      {"l", {TypeId::kInt64, Layout::kSame}},
      {"L", {TypeId::kUInt64, Layout::kSame}},
      {"f", {TypeId::kFloat32, Layout::kSame}},
      {"g", {TypeId::kFloat64, Layout::kSame}},
      {"u", {TypeId::kVarchar, Layout::kText32}},
      {"U", {TypeId::kVarchar, Layout::kText64}},
      {"vu", {TypeId::kVarchar, Layout::kViews}},
      {"z", {TypeId::kBlob, Layout::kText32}},
      {"Z", {TypeId::kBlob, Layout::kText64}},
      {"vz", {TypeId::kBlob, Layout::kViews}},
      {"tdD", {TypeId::kDate, Layout::kSame}},
      {"tdm", {Type::timestamp(TimeUnit::kMilli), Layout::kSame}},
      {"tts", {TypeId::kTime, Layout::kScaled, 4, 1'000'000}},
      {"ttm", {TypeId::kTime, Layout::kScaled, 4, 1'000}},
      {"ttu", {TypeId::kTime, Layout::kSame}},
      {"ttn", {TypeId::kTimeNs, Layout::kSame}},
      {"tiM", {TypeId::kInterval, Layout::kMonths, 4}},
      {"tiD", {TypeId::kInterval, Layout::kDayMillis, 8}},
      {"tin", {TypeId::kInterval, Layout::kMonthDayNano, 16}},
  };
  for (const Known& known : kKnown) {
    if (format == known.format) return known.form;
  }
  if (format.starts_with('+')) return nested_form(field, format);
  if (format.starts_with("d:")) return decimal_form(field, format.substr(2));
  if (format.starts_with("w:")) {
    Form form{TypeId::kBlob, Layout::kFixedBytes};
    const auto digits = format.substr(2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), form.size);
    if (error != std::errc() || end != digits.data() + digits.size() || form.size < 0)
      refuse(field, "not a width");
    if (form.size == 16 && metadata(field, kExtensionKey) == kUuidExtension)
      return {TypeId::kUuid, Layout::kUuid, form.size};
    return form;
  }
  if (format.size() >= 4 && format.starts_with("ts") && format[3] == ':') {
    const auto unit = std::string_view("smun").find(format[2]);
    if (unit == std::string_view::npos) refuse(field, "unknown unit");
    if (format.size() == 4) return {Type::timestamp(static_cast<TimeUnit>(unit)), Layout::kSame};
    if (format[2] == 'n') refuse(field, "nanoseconds with a zone are not supported");
    constexpr int64_t kToMicros[] = {1'000'000, 1'000, 1};
    return {TypeId::kTimestampTz, Layout::kScaled, 8, kToMicros[unit]};
  }
  refuse(field, "this type is not supported");
}

}  // namespace lanewise::arrow
