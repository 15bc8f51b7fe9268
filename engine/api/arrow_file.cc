#include "api/arrow_file.h"

#include <fmt/format.h>
#include <nanoarrow/nanoarrow_ipc.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace lanewise {

namespace {

constexpr std::string_view kFileMagic = "ARROW1";
constexpr int64_t kFileHeader = 8;  // the magic, padded; the rest of a file has the format of a stream
constexpr uint64_t kBatchesOfArray = 2;
constexpr size_t kWorkers = 4;  // one reads, the others process what it has read

[[noreturn]] void fail(const std::string& path, std::string_view why) {
  throw UserError(fmt::format("cannot read '{}': {}", path, why));
}

/// Opens the file after the header; the caller closes it.
std::FILE* open_at_stream(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) fail(path, std::strerror(errno));
  std::array<char, kFileHeader> head{};
  const size_t size = std::fread(head.data(), 1, head.size(), file);
  const std::string_view start(head.data(), size);
  const bool is_stream = start.starts_with("\xFF\xFF\xFF\xFF");
  if ((start.starts_with(kFileMagic) && size == head.size()) ||
      (is_stream && std::fseek(file, 0, SEEK_SET) == 0))
    return file;
  std::fclose(file);
  if (start.starts_with("FEA1")) fail(path, "it is a Feather file of version 1; write it again as version 2");
  fail(path, "it is not an Arrow IPC file or stream");
}

/// The arrays of one file, in order.
class ArrowReader {
 public:
  explicit ArrowReader(std::string path) : path_(std::move(path)) {
    ArrowIpcInputStream input{};
    if (ArrowIpcInputStreamInitFile(&input, open_at_stream(path_), 1) != NANOARROW_OK ||
        ArrowIpcArrayStreamReaderInit(&stream_, &input, nullptr) != NANOARROW_OK)
      throw MemoryError("Arrow reader: out of memory");
    check(stream_.get_schema(&stream_, &schema_));
  }
  ArrowReader(const ArrowReader&) = delete;
  ArrowReader& operator=(const ArrowReader&) = delete;
  ~ArrowReader() {
    if (schema_.release != nullptr) schema_.release(&schema_);
    stream_.release(&stream_);
  }

  const std::string& path() const { return path_; }
  const ArrowSchema& arrow_schema() const { return schema_; }
  Schema schema() const {
    try {
      return arrow::import_schema(schema_);
    } catch (const UserError& error) {
      fail(path_, error.what());
    }
  }
  /// False at the end.
  bool next(ArrowArray& array) {
    check(stream_.get_next(&stream_, &array));
    return array.release != nullptr;
  }

 private:
  void check(int code) {
    if (code == NANOARROW_OK) return;
    const char* why = stream_.get_last_error(&stream_);
    const std::string text = why == nullptr || *why == '\0' ? std::strerror(code) : why;
    fail(path_, text);
  }

  std::string path_;
  ArrowArrayStream stream_{};
  ArrowSchema schema_{};
};

bool same_columns(const Schema& a, const Schema& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].type != b[i].type) return false;
  }
  return true;
}

class ArrowScan : public Scan {
 public:
  ArrowScan(std::vector<std::string> paths, Schema schema, std::vector<size_t> columns, MemoryBudget* budget,
            const Cancellation* cancellation)
      : paths_(std::move(paths)),
        schema_(std::move(schema)),
        columns_(std::move(columns)),
        budget_(budget),
        cancellation_(cancellation) {}

  std::unique_ptr<ScanWorker> worker() override { return std::make_unique<Worker>(*this); }
  size_t max_workers() const override { return kWorkers; }

 private:
  struct Part {
    uint64_t order = 0;
    std::vector<Batch> batches;
  };

  class Worker : public ScanWorker {
   public:
    explicit Worker(ArrowScan& scan) : scan_(scan) {}
    std::optional<ScanBatch> next() override {
      while (at_ == part_.batches.size()) {
        auto part = scan_.next_part();
        if (!part) return std::nullopt;
        part_ = std::move(*part);
        at_ = 0;
      }
      const size_t i = at_++;
      Batch& read = part_.batches[i];
      Batch chosen{read.rows, {}};
      for (const size_t column : scan_.columns_) chosen.columns.push_back(read.columns[column]);
      return ScanBatch{part_.order + i, std::move(chosen)};
    }

   private:
    ArrowScan& scan_;
    Part part_;
    size_t at_ = 0;
  };

  /// One record batch; nothing at the end of the last file.
  std::optional<Part> next_part() {
    const std::lock_guard lock(mutex_);
    for (;;) {
      if (cancellation_ != nullptr) cancellation_->check();
      if (reader_ == nullptr) {
        if (file_ == paths_.size()) return std::nullopt;
        reader_ = std::make_unique<ArrowReader>(paths_[file_++]);
        if (!same_columns(reader_->schema(), schema_))
          fail(reader_->path(), fmt::format("its columns are not those of '{}'", paths_[0]));
      }
      ArrowArray array{};
      if (!reader_->next(array)) {
        reader_.reset();
        continue;
      }
      Part part{kBatchesOfArray * parts_++, {}};
      try {
        part.batches = arrow::import_array(reader_->arrow_schema(), &array, budget_);
      } catch (const UserError& error) {
        fail(reader_->path(), error.what());
      }
      return part;
    }
  }

  const std::vector<std::string> paths_;
  const Schema schema_;
  const std::vector<size_t> columns_;
  MemoryBudget* const budget_;
  const Cancellation* const cancellation_;
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<ArrowReader> reader_;
  size_t file_ = 0;  // next file to open
  uint64_t parts_ = 0;
};

class ArrowFiles : public Source {
 public:
  explicit ArrowFiles(std::vector<std::string> paths)
      : paths_(std::move(paths)), schema_(ArrowReader(paths_.at(0)).schema()) {}

  std::string name() const override {
    return paths_.size() == 1 ? paths_[0] : fmt::format("{} and {} more", paths_[0], paths_.size() - 1);
  }
  const Schema& schema() const override { return schema_; }
  std::string identity() const override {
    std::string identity = "Arrow files";
    for (const std::string& path : paths_) {
      struct stat status{};
      if (::stat(path.c_str(), &status) != 0) return {};
      identity += fmt::format("\n{} {} {}.{:09} {} {}", path, status.st_size, status.st_mtim.tv_sec,
                              status.st_mtim.tv_nsec, status.st_dev, status.st_ino);
    }
    return identity;
  }
  int64_t estimated_rows() const override { return -1; }
  std::unique_ptr<Scan> scan(const std::vector<size_t>& columns, BatchSize, MemoryBudget* budget,
                             const Cancellation* cancellation) const override {
    return std::make_unique<ArrowScan>(paths_, schema_, columns, budget, cancellation);
  }

 private:
  const std::vector<std::string> paths_;
  const Schema schema_;
};

/// The output of nanoarrow; exceptions wait until its C code has returned.
struct Sink {
  const std::function<void(std::string_view)>& write;
  std::exception_ptr thrown;
};

ArrowErrorCode write_bytes(ArrowIpcOutputStream* stream, const void* bytes, int64_t size, int64_t* written,
                           ArrowError*) {
  auto& sink = *static_cast<Sink*>(stream->private_data);
  try {
    sink.write({static_cast<const char*>(bytes), static_cast<size_t>(size)});
  } catch (...) {
    sink.thrown = std::current_exception();
    return EIO;
  }
  *written = size;
  return NANOARROW_OK;
}

}  // namespace

std::shared_ptr<const Source> arrow_files(std::vector<std::string> paths) {
  return std::make_shared<ArrowFiles>(std::move(paths));
}

void write_arrow(ArrowArrayStream* rows, ArrowFormat format,
                 const std::function<void(std::string_view)>& write) {
  const std::shared_ptr<void> release(nullptr, [rows](void*) {
    if (rows->release != nullptr) rows->release(rows);
  });
  Sink sink{write, nullptr};
  ArrowIpcOutputStream out{write_bytes, [](ArrowIpcOutputStream* stream) { stream->release = nullptr; },
                           &sink};
  ArrowIpcWriter writer{};
  if (ArrowIpcWriterInit(&writer, &out) != NANOARROW_OK) throw MemoryError("Arrow writer: out of memory");
  const std::shared_ptr<void> reset(nullptr, [&writer](void*) { ArrowIpcWriterReset(&writer); });
  ArrowError error{};
  int code = format == ArrowFormat::kFile ? ArrowIpcWriterStartFile(&writer, &error) : NANOARROW_OK;
  if (code == NANOARROW_OK) code = ArrowIpcWriterWriteArrayStream(&writer, rows, &error);
  if (code == NANOARROW_OK && format == ArrowFormat::kFile)
    code = ArrowIpcWriterFinalizeFile(&writer, &error);
  if (sink.thrown) std::rethrow_exception(sink.thrown);
  if (code != NANOARROW_OK)
    throw UserError(
        fmt::format("cannot write Arrow: {}", *error.message != 0 ? error.message : std::strerror(code)));
}

}  // namespace lanewise
