#include "index/image/image.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"

namespace lanewise::index {

namespace {

constexpr char kFooterMagic[8] = {'l', 'w', 'j', 'o', 'u', 'r', 'n', '\n'};

/// The end of a journal: groups, then an Entry for each, then this.
struct Footer {
  char magic[8];
  u64 at;      ///< start of the journal
  u64 count;   ///< number of its groups
  u64 groups;  ///< groups of the resulting image
  u64 group_bytes;
  u64 entries_sum;  ///< checksum of the entries
  u64 unused;
  u64 checksum;  ///< of all words before
};
static_assert(sizeof(Footer) == 64);

struct Entry {
  u64 group;
  u64 checksum;  ///< the one in the group's trailer
};

u64 sum_of(const Footer& footer) {
  return checksum(reinterpret_cast<const u64*>(&footer), sizeof footer / 8 - 1);
}

u64 sum_of(const std::vector<Entry>& entries) {
  return checksum(reinterpret_cast<const u64*>(entries.data()), entries.size() * sizeof(Entry) / 8);
}

struct Journal {
  u64 groups = 0, group_bytes = 0;
  std::vector<Pool::Moved> moved;
};

/// The journal at the end of the storage, if it is complete.
std::optional<Journal> read_journal(const Storage& storage) {
  const u64 size = storage.size();
  Footer footer;
  if (size < sizeof footer) return std::nullopt;
  storage.read(size - sizeof footer, &footer, sizeof footer);
  if (std::memcmp(footer.magic, kFooterMagic, sizeof kFooterMagic) != 0 ||
      footer.checksum != sum_of(footer)) {
    return std::nullopt;
  }
  const u64 bytes = footer.group_bytes;
  const bool sane = std::has_single_bit(bytes) && bytes >= kMinGroupBytes && bytes <= kMaxGroupBytes &&
                    footer.groups != 0 && footer.groups <= size / bytes && footer.count <= size / bytes &&
                    footer.at >= footer.groups * bytes &&
                    footer.at + footer.count * (bytes + sizeof(Entry)) + sizeof footer == size;
  if (!sane) return std::nullopt;
  std::vector<Entry> entries(footer.count);
  storage.read(footer.at + footer.count * bytes, entries.data(), footer.count * sizeof(Entry));
  if (sum_of(entries) != footer.entries_sum) return std::nullopt;
  Journal journal{footer.groups, bytes, {}};
  std::vector<u64> group(bytes / 8);
  for (u64 i = 0; i < footer.count; ++i) {
    storage.read(footer.at + i * bytes, group.data(), bytes);
    const u64 sum = checksum(group.data(), group.size() - 1);
    if (sum != entries[i].checksum || sum != group.back() || entries[i].group >= footer.groups)
      return std::nullopt;
    journal.moved.push_back({entries[i].group, footer.at + i * bytes});
  }
  return journal;
}

void copy_group(Storage& storage, u64 from, u64 to, std::vector<u64>& scratch) {
  storage.read(from, scratch.data(), scratch.size() * 8);
  storage.write(to, scratch.data(), scratch.size() * 8);
}

/// The start of group 0, checked as far as possible without its checksum.
void read_header(const Storage& storage, Header& header) {
  const std::string name = storage.name();
  if (storage.size() < kMinGroupBytes) throw UserError(fmt::format("'{}' is not an index", name));
  storage.read(0, static_cast<void*>(&header), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
    throw UserError(fmt::format("'{}' is not an index", name));
  }
  if (header.byte_order != kByteOrder) {
    throw UserError(fmt::format("'{}' was written by a machine of another byte order", name));
  }
  if (header.format != kFormat) {
    throw UserError(fmt::format("'{}' has format {}; this version reads {}", name, header.format, kFormat));
  }
  const bool sane = std::has_single_bit(header.group_bytes) && header.group_bytes >= kMinGroupBytes &&
                    header.group_bytes <= kMaxGroupBytes && header.groups != 0;
  if (!sane) throw UserError(fmt::format("{}: group 0 is damaged: no such groups", name));
  if (header.groups > storage.size() / header.group_bytes) {
    throw UserError(fmt::format("'{}' is truncated: it has {} bytes instead of {} groups of {} bytes", name,
                                storage.size(), header.groups, header.group_bytes));
  }
}

}  // namespace

void write_image(Pool& pool, Storage& storage) {
  const u64 bytes = pool.geometry().group_bytes;
  for (u64 number = 0; number < pool.groups(); ++number) pool.mark_group(number);
  pool.seal(pool.header().commit + 1);
  storage.write(bytes, pool.group(1), (pool.groups() - 1) * bytes);
  storage.sync();
  storage.write(0, pool.group(0), bytes);  // Until now the storage has no index.
  storage.sync();
  pool.saved();
}

namespace {

/// Writes and syncs the journal; returns its entries.
std::vector<Entry> write_journal(Pool& pool, Storage& storage) {
  const u64 bytes = pool.geometry().group_bytes;
  Footer footer{};
  std::memcpy(footer.magic, kFooterMagic, sizeof kFooterMagic);
  footer.groups = pool.groups();
  footer.group_bytes = bytes;
  footer.at = std::max(footer.groups * bytes, (storage.size() + bytes - 1) / bytes * bytes);
  std::vector<Entry> entries;
  u64 at = footer.at;
  pool.for_each_unsaved([&](u64 number) {
    storage.write(at, pool.group(number), bytes);
    entries.push_back({number, pool.trailer(number).checksum});
    at += bytes;
  });
  footer.count = entries.size();
  footer.entries_sum = sum_of(entries);
  footer.checksum = sum_of(footer);
  storage.write(at, entries.data(), entries.size() * sizeof(Entry));
  storage.write(at + entries.size() * sizeof(Entry), &footer, sizeof footer);
  storage.sync();
  return entries;
}

}  // namespace

void commit_image(Pool& pool, Storage& storage, bool& stuck) {
  const u64 bytes = pool.geometry().group_bytes, size = storage.size();
  pool.seal(pool.header().commit + 1);
  std::vector<Entry> entries;
  try {
    entries = write_journal(pool, storage);
  } catch (...) {
    storage.truncate(size);
    throw;
  }
  stuck = true;
  for (const Entry& entry : entries) storage.write(entry.group * bytes, pool.group(entry.group), bytes);
  storage.sync();
  storage.truncate(pool.groups() * bytes);
  stuck = false;
  pool.saved();
}

std::unique_ptr<Pool> open_image(Storage& storage, MemoryBudget* budget) {
  std::optional<Journal> journal = read_journal(storage);
  if (!journal) {
    Header header;
    read_header(storage, header);
    journal = Journal{header.groups, header.group_bytes, {}};
  }
  if (storage.writable()) {
    std::vector<u64> scratch(journal->group_bytes / 8);
    for (const Pool::Moved& one : journal->moved) {
      copy_group(storage, one.at, one.group * journal->group_bytes, scratch);
    }
    if (!journal->moved.empty()) storage.sync();
    storage.truncate(journal->groups * journal->group_bytes);  // what is there of a journal
    journal->moved.clear();
  }
  auto pool = std::make_unique<Pool>(storage, journal->groups, journal->group_bytes, journal->moved, budget);
  pool->header().version += 1;  // No snapshot of this process has seen this state.
  return pool;
}

}  // namespace lanewise::index
