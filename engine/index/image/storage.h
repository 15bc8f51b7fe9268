#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace lanewise::index {

/// The storage of an image: a thin layer for all writes and syncs. Written data is durable after the next
/// sync(); before that, any part of it may be. Errors are UserErrors that name the storage.
class Storage {
 public:
  virtual ~Storage() = default;
  virtual std::string name() const = 0;  ///< for messages
  virtual bool writable() const = 0;
  virtual uint64_t size() const = 0;
  virtual void read(uint64_t at, void* to, size_t bytes) const = 0;
  virtual void write(uint64_t at, const void* from, size_t bytes) = 0;
  virtual void sync() = 0;
  virtual void truncate(uint64_t size) = 0;
  /// Maps bytes [0, bytes) at `to`, whole pages of reserved memory, as private, writable memory.
  virtual void map(uint8_t* to, size_t bytes) const = 0;
};

/// A file, locked while it is open: one process writes, or several read.
class FileStorage final : public Storage {
 public:
  enum class Mode { kRead, kWrite };
  /// Waits up to `wait` seconds for other processes.
  FileStorage(const std::string& path, Mode mode, double wait = 0);
  /// A new file, for writing; messages use `name`, its final name.
  FileStorage(const std::string& path, std::string name);
  FileStorage(const FileStorage&) = delete;
  FileStorage& operator=(const FileStorage&) = delete;
  ~FileStorage() override;

  std::string name() const override { return name_; }
  bool writable() const override { return mode_ != Mode::kRead; }
  uint64_t size() const override;
  void read(uint64_t at, void* to, size_t bytes) const override;
  void write(uint64_t at, const void* from, size_t bytes) override;
  void sync() override;
  void truncate(uint64_t size) override;
  void map(uint8_t* to, size_t bytes) const override;

 private:
  [[noreturn]] void fail(const char* verb) const;
  void lock(double wait);
  void check_regular() const;

  std::string name_;
  Mode mode_;
  int file_;
};

}  // namespace lanewise::index
