#include "gpu/modules/kernel_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "gpu/installed.h"

namespace lanewise::gpu {

namespace fs = std::filesystem;

namespace {

constexpr char kEnding[] = ".kernel";
constexpr auto kAbandoned = std::chrono::hours(1);  // what was written aside and never renamed

/// What stands before key and image in a file. Digests find what is broken and name files; keys are compared
/// in full.
struct Head {
  char magic[8] = {'l', 'w', 'k', 'e', 'r', 'n', '0', '1'};
  uint64_t key_bytes = 0;
  uint64_t image_bytes = 0;
  uint64_t digest = 0;
};

fs::path system_folder() {
  for (const auto& [variable, below] : {std::pair("XDG_CACHE_HOME", ""), std::pair("HOME", ".cache")}) {
    const char* base = std::getenv(variable);
    if (base != nullptr && *base == '/') return fs::path(base) / below / "lanewise" / "kernels";
  }
  return {};
}

fs::path ahead_folder() {
  constexpr char kName[] = "lanewise_kernels";
  if (const char* chosen = std::getenv("LANEWISE_KERNELS"); chosen != nullptr) return chosen;
  const std::vector<fs::path> places = installed_at(kName);
  std::error_code failed;
  const auto found =
      std::ranges::find_if(places, [&](const fs::path& place) { return fs::exists(place, failed); });
  return found == places.end() ? places.front() : *found;
}

std::optional<std::string> read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) return std::nullopt;
  return bytes;
}

}  // namespace

uint64_t digest(std::string_view bytes, uint64_t hash) {
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

const KernelCache& KernelCache::ahead() {
  static const KernelCache cache(ahead_folder());
  return cache;
}

KernelCache& KernelCache::system() {
  static KernelCache cache(system_folder());
  return cache;
}

KernelCache::KernelCache(fs::path folder, size_t limit) : folder_(std::move(folder)), limit_(limit) {}

fs::path KernelCache::path_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}{}", digest(key), kEnding);
}

std::optional<std::string> KernelCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = path_of(key);
  const std::optional<std::string> bytes = read(path);
  Head head;
  const Head ours;
  if (!bytes || bytes->size() < sizeof(head)) return std::nullopt;
  std::memcpy(&head, bytes->data(), sizeof(head));
  const std::string_view rest = std::string_view(*bytes).substr(sizeof(head));
  if (std::memcmp(head.magic, ours.magic, sizeof(head.magic)) != 0 || head.key_bytes != key.size() ||
      !rest.starts_with(key) || head.image_bytes != rest.size() - key.size() || head.digest != digest(rest)) {
    return std::nullopt;
  }
  std::error_code ignored;  // of another user's, say: it is used all the same
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return std::string(rest.substr(key.size()));
}

bool KernelCache::holds(const std::string& key) const {
  if (folder_.empty()) return false;
  std::ifstream in(path_of(key), std::ios::binary);
  Head head;
  const Head ours;
  std::string held(key.size(), '\0');
  return in.read(reinterpret_cast<char*>(&head), sizeof(head)) &&
         std::memcmp(head.magic, ours.magic, sizeof(head.magic)) == 0 && head.key_bytes == key.size() &&
         in.read(held.data(), static_cast<std::streamsize>(held.size())) && held == key;
}

void KernelCache::store(const std::string& key, const std::string& image) const {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  static std::atomic<unsigned> count{0};
  const fs::path aside = folder_ / fmt::format("{}-{}.new", ::getpid(), count++);
  Head head;
  head.key_bytes = key.size();
  head.image_bytes = image.size();
  head.digest = digest(image, digest(key));
  std::ofstream out(aside, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&head), sizeof(head)) << key << image;
  out.close();
  if (out.fail()) {
    fs::remove(aside, failed);
    return;
  }
  fs::rename(aside, path_of(key), failed);
  if (failed) fs::remove(aside, failed);
  make_room();
}

void KernelCache::make_room() const {
  struct Entry {
    fs::path path;
    size_t bytes;
    fs::file_time_type used;
  };
  std::vector<Entry> entries;
  size_t total = 0;
  std::error_code failed;  // files of other processes may go while we look
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code gone;
    const Entry entry{it->path(), it->file_size(gone), it->last_write_time(gone)};
    if (gone) continue;
    if (entry.path.extension() == kEnding) {
      entries.push_back(entry);
      total += entry.bytes;
    } else if (entry.path.extension() == ".new" && now - entry.used > kAbandoned) {
      fs::remove(entry.path, gone);
    }
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_ / 4 * 3) break;  // some room, so that not every entry looks again
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.bytes;
  }
}

}  // namespace lanewise::gpu
