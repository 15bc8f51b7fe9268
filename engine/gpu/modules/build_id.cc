#include "gpu/modules/build_id.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <string_view>

namespace lanewise::gpu {

namespace {

constexpr size_t kMost = size_t{1} << 16;  // bytes of headers or of notes

/// Nothing if the file ends before, or if they are more than a sound file has.
std::string read(std::ifstream& file, uint64_t at, uint64_t bytes) {
  std::string text(bytes <= kMost ? bytes : 0, 0);
  file.seekg(static_cast<std::streamoff>(at));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return file ? text : std::string();
}

template <class T>
bool take(std::string_view& from, T& value) {
  if (from.size() < sizeof(T)) return false;
  from.copy(reinterpret_cast<char*>(&value), sizeof(T));
  from.remove_prefix(sizeof(T));
  return true;
}

std::string id_in(std::string_view notes) {
  const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  Elf64_Nhdr note;
  while (take(notes, note) && padded(note.n_namesz) + padded(note.n_descsz) <= notes.size()) {
    const std::string_view name = notes.substr(0, note.n_namesz);
    const std::string_view value = notes.substr(padded(note.n_namesz), note.n_descsz);
    if (note.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4)) {
      std::string id;
      for (const char byte : value) id += fmt::format("{:02x}", static_cast<uint8_t>(byte));
      return id;
    }
    notes.remove_prefix(padded(note.n_namesz) + padded(note.n_descsz));
  }
  return {};
}

}  // namespace

std::string build_id(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  const std::string head = read(file, 0, sizeof(Elf64_Ehdr));
  std::string_view rest = head;
  Elf64_Ehdr header;
  if (!take(rest, header) || !head.starts_with(ELFMAG) || head[EI_CLASS] != ELFCLASS64) return {};
  const std::string segments = read(file, header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  rest = segments;
  for (Elf64_Phdr segment; take(rest, segment);) {
    if (segment.p_type != PT_NOTE) continue;
    if (std::string id = id_in(read(file, segment.p_offset, segment.p_filesz)); !id.empty()) return id;
  }
  return {};
}

}  // namespace lanewise::gpu
