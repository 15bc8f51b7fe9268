#pragma once

#include <sys/stat.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "grep/input.h"
#include "grep/options.h"
#include "grep/report.h"
#include "grep/walk.h"

namespace lanewise::cli::grep {

/// A file that is being searched; its blocks share it.
struct Job {
  std::unique_ptr<Input> input;  ///< null if its only block was read already
  bool converts = false;         ///< lines end with NUL
  FileState state;
};

/// A block of a file, or the reason why it cannot be read.
struct Unit {
  std::shared_ptr<Job> job;
  Block block;
  bool has_text;
  bool ends;  ///< the last block of the file
  std::string name;
  std::string error;
  std::vector<lanes::Line> lines;
  std::optional<size_t> nul;
};

/// The unit of work: a block, or several whole small files.
struct Batch {
  static constexpr size_t kMost = 64;
  uint64_t ticket = 0;  ///< its position in the output
  size_t size = 0;
  std::vector<Unit> units = std::vector<Unit>(kMost);
  Buffer text;      ///< of small files, one after the other
  size_t used = 0;  ///< bytes of it
};

/// The blocks of all files, in output order. One worker at a time walks the folders; all read small files in
/// parallel, and take blocks of large ones.
class Queue {
 public:
  /// `whole`: each file is one block.
  Queue(const Options& options, bool whole);

  /// The next batch for this worker; null at the end.
  std::unique_ptr<Batch> claim();
  /// Returns a printed batch for reuse.
  void give_back(std::unique_ptr<Batch> batch);
  /// From now on no batch is claimed.
  void stop();
  /// Faults found in ignore files.
  const std::vector<std::string>& warnings() { return walk_.warnings(); }

 private:
  /// Some small files that were read, or one that is opened when its turn comes.
  struct Element {
    std::unique_ptr<Batch> batch;
    Found found;
  };
  using Elements = std::deque<Element>;

  std::unique_ptr<Batch> take_ready();
  void claim_block(Batch& batch);
  void walk_on(std::unique_lock<std::mutex>& lock);
  Elements read(std::vector<Found> files);
  enum class Small : unsigned char { kTaken, kNot, kFull };
  class Opener;
  Small read_small(const Found& found, Opener& opener, Batch& batch) const;
  std::unique_ptr<Batch> new_batch();
  void hand_in(uint64_t place, Elements elements);
  void open(const Found& found, Job& job) const;
  void prepare(const Found& found, const struct stat& status, FileState& state) const;
  bool is_preprocessed(const std::string& path) const;
  bool needs_stream(int file, bool regular, const std::string& path) const;
  bool is_encoded(std::string_view head, const std::string& path) const;

  const Options& options_;
  const bool whole_;
  const uint64_t most_ahead_;
  GlobChoice preprocessed_;  // of --pre-glob
  struct stat output_{};     // if standard output is a regular file

  std::mutex mutex_;  // of all below, and for claim() of inputs
  std::condition_variable changed_;
  Walk walk_;  // of the worker that set walking_
  bool walking_ = false;
  bool walked_ = false;  // all files were found
  bool stopped_ = false;
  std::deque<std::vector<Found>> found_;  // files to read
  uint64_t places_ = 0;                   // lists of files that were or are being read
  uint64_t joined_ = 0;                   // those of them that were moved to ready_
  std::map<uint64_t, Elements> read_;
  Elements ready_;
  std::shared_ptr<Job> current_;  // whose blocks are claimed
  uint64_t tickets_ = 0;
  std::vector<std::unique_ptr<Batch>> spare_;
};

}  // namespace lanewise::cli::grep
