#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/memory.h"
#include "sql/duckdb/duckdb_headers.h"

namespace lanewise::sql {

/// DuckDB's temporary files, all in one file without a name, in the folder of a budget's SpillFile. So
/// processes with the same folder do not share files, and nothing is left even of a killed process.
/// Thread-safe.
class TemporaryFiles : public duckdb::FileSystem {
 public:
  explicit TemporaryFiles(const MemoryBudget& budget) : budget_(budget) {}

  std::string GetName() const override { return "TemporaryFiles"; }
  /// Whether DuckDB gives temporary files such names. False if the budget has no SpillFile.
  bool CanHandleFile(const std::string& path) override;
  using duckdb::FileSystem::OpenFile;
  duckdb::unique_ptr<duckdb::FileHandle> OpenFile(
      const std::string& path, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener> opener = nullptr) override;
  bool FileExists(const std::string& path,
                  duckdb::optional_ptr<duckdb::FileOpener> opener = nullptr) override;
  /// Does nothing if there is no such file: those on disk are not ours.
  void RemoveFile(const std::string& path,
                  duckdb::optional_ptr<duckdb::FileOpener> opener = nullptr) override;

  using duckdb::FileSystem::Read;
  using duckdb::FileSystem::Write;
  /// Reads what one Write has written, or a part of that.
  void Read(duckdb::FileHandle& file, void* buffer, int64_t bytes, duckdb::idx_t at) override;
  void Write(duckdb::FileHandle& file, void* buffer, int64_t bytes, duckdb::idx_t at) override;
  void Truncate(duckdb::FileHandle& file, int64_t size) override;
  int64_t GetFileSize(duckdb::FileHandle& file) override;
  duckdb::FileType GetFileType(duckdb::FileHandle& file) override;

 private:
  class Disk;
  class Content;
  struct Handle;

  const MemoryBudget& budget_;
  std::mutex mutex_;
  std::shared_ptr<Disk> disk_;                                       // of all files
  std::unordered_map<std::string, std::shared_ptr<Content>> files_;  // by path
};

}  // namespace lanewise::sql
