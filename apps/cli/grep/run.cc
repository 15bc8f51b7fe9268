#include "grep/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <span>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/size.h"
#include "grep/input.h"
#include "grep/print.h"
#include "grep/walk.h"
#include "primitives/parallel.h"

namespace lanewise::cli::grep {

namespace {

constexpr size_t kHead = size_t{64} << 10;  // a NUL in so many first bytes: the file is binary
constexpr uint64_t kMapFrom = 1 << 18;      // bytes; smaller files are read, which takes fewer calls
constexpr size_t kMostUnits = 64;           // of small files together
constexpr uint64_t kStopped = UINT64_MAX;

text::Pattern compile(const Options& options) {
  text::RegexOptions how;
  how.case_sensitive = !options.ignore_case;
  how.literal = options.literal;
  how.full_match = options.whole_lines;
  how.whole_words = options.whole_words && !options.whole_lines;
  return text::compile_any(options.patterns, how);
}

/// A file that is being searched; its blocks share it.
struct Job {
  std::unique_ptr<Input> input;
  bool small = false;  ///< is there at once, and not worth a turn of its own
  FileState state;
};

/// A block of a file, or only word that it cannot be read.
struct Unit {
  std::shared_ptr<Job> job;
  Block block;
  bool has_text;
  bool ends;  ///< nothing more of the file follows
  std::string name;
  std::string error;
  std::vector<lanes::Line> lines;
};

/// What a worker does at a time: a block, or all of several small files.
struct Batch {
  uint64_t ticket;  ///< its place in the output
  size_t size;
  std::vector<Unit> units = std::vector<Unit>(kMostUnits);
};

/// Workers take batches in order, search them side by side, and print them in order again: each waits for its
/// turn, so that no more than one batch for each worker is held.
class Run {
 public:
  Run(const Options& options, OutputFile& out)
      : options_(options),
        matcher_(compile(options), {.form = "", .lanes = options.lanes, .tuning = options.tuning}),
        shows_lines_(options.report == Report::kLines || options.report == Report::kMatches),
        walk_(options),
        printer_(options, matcher_, out) {
    struct stat status{};
    if (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) output_ = status;
  }

  Outcome search() {
    const auto start = std::chrono::steady_clock::now();
    const auto workers = static_cast<size_t>(options_.threads);
    if (workers == 1) {
      work();
    } else {
      with_threads(options_.threads, [&] { run_workers(workers, [&](size_t) { work(); }); });
    }
    if (options_.stats) print_stats(std::chrono::steady_clock::now() - start);
    return {printer_.selected() > 0, failed_};
  }

 private:
  void work() {
    Batch batch;
    text::LineContext context;
    lanes::Stats lanes;
    if (options_.stats) context.match.stats = &lanes;
    uint64_t bytes = 0;
    try {
      while (claim(batch)) {
        const std::span<Unit> units(batch.units.data(), batch.size);
        for (Unit& unit : units) {
          if (!unit.has_text || unit.job->state.done) continue;
          find(unit, context);
          bytes += unit.block.size();
        }
        if (!wait_for(batch.ticket)) break;
        for (Unit& unit : units) {
          if (!enough()) print(unit);
        }
        uint64_t turn = batch.ticket;
        turn_.compare_exchange_strong(turn, enough() ? kStopped : batch.ticket + 1);
        turn_.notify_all();
      }
    } catch (...) {
      turn_.store(kStopped);  // others do not wait for this one
      turn_.notify_all();
      throw;
    }
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    lanes_.add(lanes);
  }

  /// The next batch; false when there is none.
  bool claim(Batch& batch) {
    const std::lock_guard lock(mutex_);
    if (turn_ == kStopped) return false;
    batch.ticket = tickets_;
    for (batch.size = 0; batch.size < kMostUnits;) {
      Unit& unit = batch.units[batch.size];
      if (!claim(unit)) break;
      ++batch.size;
      if (unit.job != nullptr && !unit.job->small) break;
    }
    tickets_ += batch.size > 0;
    return batch.size > 0;
  }

  bool claim(Unit& unit) {
    unit.error.clear();
    if (current_ == nullptr && !open_next(unit)) return false;
    if (current_ != nullptr) unit.name = current_->state.name;
    unit.has_text = false;
    unit.ends = true;
    unit.job = current_;
    if (current_ == nullptr) return true;  // it could not be opened
    try {
      unit.has_text = !current_->state.done && current_->input->claim(unit.block);
      unit.ends = !unit.has_text || unit.block.last;
    } catch (const UserError& error) {
      unit.error = error.what();
    }
    if (unit.ends) current_.reset();
    return true;
  }

  /// Opens the next file; false when there is none. Where it cannot be opened, current_ stays null and the
  /// unit says why.
  bool open_next(Unit& unit) {
    Found found;
    if (!walk_.next(found)) return false;
    unit.name = found.path == "-" ? "(standard input)" : found.path;
    unit.error = found.error;
    if (!unit.error.empty()) return true;
    try {
      auto job = std::make_shared<Job>();
      job->input = open(found.path, job->small);
      job->state.name = unit.name;
      current_ = std::move(job);
      ++files_;
    } catch (const UserError& error) {
      unit.error = error.what();
    }
    return true;
  }

  std::unique_ptr<Input> open(const std::string& path, bool& small) const {
    const bool standard_input = path == "-";
    Descriptor file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    struct stat status{};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) throw UserError(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw UserError(std::strerror(EISDIR));
    const bool regular = S_ISREG(status.st_mode) && !standard_input;
    if (shows_lines_ && S_ISREG(status.st_mode) && status.st_ino == output_.st_ino &&
        status.st_dev == output_.st_dev && output_.st_nlink > 0) {
      throw UserError("the input is also the output");
    }
    if (options_.decompress) {
      char head[kMagicBytes];
      const ssize_t got = regular ? ::pread(file.get(), head, sizeof head, 0) : -1;
      if (got < 0 || is_compressed({head, static_cast<size_t>(got)})) {
        const int number = file.get();
        return stream_input(std::move(file), decoded_stream(number));
      }
    }
    const auto size = static_cast<uint64_t>(status.st_size);
    if (regular && size >= kMapFrom) {
      if (auto mapped = mapped_input(file.get(), size)) return mapped;
    }
    small = regular && size > 0 && size < kMapFrom;
    InputLimits limits;
    if (small) limits.block_bytes = size;
    const int number = file.get();
    return stream_input(std::move(file), plain_stream(number), limits);
  }

  void find(Unit& unit, text::LineContext& context) const {
    unit.lines.clear();
    try {
      unit.job->input->fill(unit.block);
      matcher_.match(unit.block.text(), unit.block.size(), unit.lines, context);
    } catch (const UserError& error) {
      unit.error = error.what();
    }
  }

  bool wait_for(uint64_t ticket) const {
    for (;;) {
      const uint64_t turn = turn_.load();
      if (turn == ticket) return true;
      if (turn == kStopped) return false;
      turn_.wait(turn);
    }
  }

  void print(Unit& unit) {
    if (!unit.error.empty()) {
      failed_ = true;
      if (!options_.no_messages) fmt::print(stderr, "lanewise grep: {}: {}\n", unit.name, unit.error);
    }
    if (unit.job == nullptr) return;
    FileState& file = unit.job->state;
    if (!unit.error.empty()) file.done = true;
    const std::string_view text(reinterpret_cast<const char*>(unit.block.text()), unit.block.size());
    if (unit.has_text && unit.error.empty()) {
      if (unit.block.first) file.binary = text.substr(0, kHead).find('\0') != std::string_view::npos;
      printer_.block(file, text, unit.lines);
    }
    if (unit.ends) printer_.end(file);
  }

  bool enough() const { return options_.report == Report::kNothing && printer_.selected() > 0; }

  void print_stats(std::chrono::duration<double> time) const {
    const auto row = [](const char* name, const std::string& value) {
      fmt::print(stderr, "{:<10}{}\n", name, value);
    };
    row("selected", fmt::format("{} line{}", printer_.selected(), printer_.selected() == 1 ? "" : "s"));
    row("searched", fmt::format("{} in {} file{}", format_size(bytes_), files_, files_ == 1 ? "" : "s"));
    row("time", fmt::format("{:.3f} s, {:.2f} GB/s, {} threads", time.count(),
                            static_cast<double>(bytes_) / 1e9 / time.count(), options_.threads));
    row("pattern", matcher_.describe());
    std::istringstream reasons(matcher_.matcher().describe());
    for (std::string line; std::getline(reasons, line);) row("", line);
    if (lanes_.lane_steps > 0) row("occupancy", fmt::format("{:.1f} %", 100 * lanes_.occupancy()));
  }

  const Options& options_;
  const text::LineMatcher matcher_;
  const bool shows_lines_;
  struct stat output_{};  // where standard output is a regular file

  std::mutex mutex_;  // held while a unit is taken
  Walk walk_;
  std::shared_ptr<Job> current_;
  uint64_t tickets_ = 0;
  uint64_t files_ = 0;
  uint64_t bytes_ = 0;
  lanes::Stats lanes_;

  std::atomic<uint64_t> turn_ = 0;  // whose ticket it is may print
  Printer printer_;
  bool failed_ = false;
};

}  // namespace

Outcome run(const Options& options, OutputFile& out) { return Run(options, out).search(); }

}  // namespace lanewise::cli::grep
