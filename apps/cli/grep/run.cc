#include "grep/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "base/size.h"
#include "grep/encoding.h"
#include "grep/input.h"
#include "grep/pattern.h"
#include "grep/report.h"
#include "grep/select.h"
#include "grep/walk.h"
#include "output/print.h"

namespace lanewise::cli::grep {

namespace {

constexpr uint64_t kMapFrom = 1 << 18;      // bytes; smaller files are read, which takes fewer calls
constexpr size_t kMostUnits = 64;           // of small files together
constexpr uint64_t kThreadsFrom = 4 << 20;  // bytes in all
constexpr uint64_t kStopped = UINT64_MAX;

/// A file that is being searched; its blocks share it.
struct Job {
  std::unique_ptr<Input> input;
  bool small = false;     ///< is there at once, and not worth a turn of its own
  bool converts = false;  ///< NUL bytes end lines
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
  std::optional<size_t> nul;
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
  Run(const Options& options, OutputFile& file)
      : options_(options),
        search_(compile(options)),
        out_(file),
        report_(make_report()),
        selector_(options, *report_, out_, search_.matcher->target()),
        walk_(options),
        thread_count_(thread_count(options)) {
    struct stat status{};
    if (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) output_ = status;
  }

  Outcome search() {
    const auto start = std::chrono::steady_clock::now();
    if (thread_count_ == 1) {
      work();
    } else {
      work_together();
    }
    finish(std::chrono::steady_clock::now() - start);
    return {selected_, failed_};
  }

 private:
  std::unique_ptr<Reporter> make_report() {
    const auto make = options_.report == Report::kJson    ? make_json
                      : options_.report == Report::kLines ? make_standard
                                                          : make_summary;
    return make(options_, *search_.matcher, search_.multiline, out_);
  }

  /// A few small files are not worth a second thread.
  static int thread_count(const Options& options) {
    if (options.threads > 0) return options.threads;
    uint64_t bytes = 0;
    for (const std::string& path : options.paths) {
      struct stat status{};
      if (path == "-" || ::stat(path.c_str(), &status) != 0) continue;
      if (!S_ISREG(status.st_mode)) return machine_cores();
      bytes += static_cast<uint64_t>(status.st_size);
    }
    return bytes < kThreadsFrom ? 1 : machine_cores();
  }

  /// work() on all threads; throws what the first of them threw.
  void work_together() {
    std::exception_ptr error;
    std::mutex mutex;
    const auto one = [&] {
      try {
        work();
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 1; i < thread_count_; ++i) threads.emplace_back(one);
      one();
    }
    if (error) std::rethrow_exception(error);
  }

  void work() {
    Batch batch;
    text::LineContext context;
    lanes::Stats lanes;
    if (options_.explain) context.match.stats = &lanes;
    try {
      while (claim(batch)) {
        const std::span<Unit> units(batch.units.data(), batch.size);
        for (Unit& unit : units) {
          if (unit.has_text && !unit.job->state.done) find(unit, context);
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
    unit.name = shown_name(found.path, options_);
    unit.error = found.error;
    if (!unit.error.empty()) return true;
    try {
      auto job = std::make_shared<Job>();
      open(found, *job);
      job->state.name = unit.name;
      current_ = std::move(job);
    } catch (const UserError& error) {
      unit.error = error.what();
    }
    return true;
  }

  void open(const Found& found, Job& job) const {
    const bool standard_input = found.path == "-";
    Descriptor file(standard_input ? STDIN_FILENO
                                   : ::open(found.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    struct stat status{};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) throw UserError(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw UserError(std::strerror(EISDIR));
    const bool regular = S_ISREG(status.st_mode) && !standard_input;
    refuse_output(status);
    FileState& state = job.state;
    state.at_nul = options_.binary == Binary::kText                    ? AtNul::kNothing
                   : found.named || options_.binary == Binary::kSearch ? AtNul::kSay
                                                                       : AtNul::kStop;
    InputLimits limits;
    limits.line_end = options_.line_end;
    limits.whole = search_.multiline;
    const auto size = static_cast<uint64_t>(status.st_size);
    if (needs_stream(file.get(), regular, found.path)) {
      job.converts = state.at_nul == AtNul::kSay;
      const int number = file.get();
      state.transcoded = regular && !options_.decompress;
      auto stream = options_.decompress ? decoded_stream(number, found.path) : plain_stream(number);
      if (options_.encoding != "none") stream = transcoded_stream(std::move(stream), options_.encoding);
      job.input = stream_input(std::move(file), std::move(stream), limits);
      return;
    }
    state.mapped = *options_.mapped && size > 0;
    job.converts = state.at_nul == AtNul::kSay && !state.mapped;
    if (size >= kMapFrom) {
      job.input = mapped_input(file.get(), size, limits);
      if (job.input) return;
    }
    job.small = size > 0 && size < kMapFrom;
    if (job.small) limits.block_bytes = size;
    const int number = file.get();
    job.input = stream_input(std::move(file), plain_stream(number), limits);
  }

  /// Lines that are written would be read again.
  void refuse_output(const struct stat& status) const {
    const bool shows_lines = options_.report == Report::kLines || options_.report == Report::kJson;
    if (shows_lines && S_ISREG(status.st_mode) && status.st_ino == output_.st_ino &&
        status.st_dev == output_.st_dev && output_.st_nlink > 0)
      throw UserError("the input is also the output");
  }

  /// Whether the file's bytes are not searched as they are, or come as they come.
  bool needs_stream(int file, bool regular, const std::string& path) const {
    if (!regular) return true;
    char head[kMagicBytes];
    const ssize_t got = ::pread(file, head, sizeof head, 0);
    if (got < 0) return true;
    const std::string_view begin(head, static_cast<size_t>(got));
    return (options_.decompress && is_compressed(begin, path)) || needs_transcoding(begin, options_.encoding);
  }

  void find(Unit& unit, text::LineContext& context) const {
    unit.lines.clear();
    unit.nul.reset();
    try {
      unit.job->input->fill(unit.block);
      const size_t size = unit.block.size();
      if (unit.job->state.at_nul != AtNul::kNothing) {
        const void* nul = size == 0 ? nullptr : std::memchr(unit.block.text(), 0, size);
        if (nul != nullptr)
          unit.nul = static_cast<size_t>(static_cast<const uint8_t*>(nul) - unit.block.text());
        if (nul == nullptr && unit.block.nul_after > 0) unit.nul = unit.block.nul_after;
        if (nul != nullptr && unit.job->converts)
          unit.block.replace(0, static_cast<uint8_t>(options_.line_end));
      }
      if (search_.multiline) {
        const std::string_view text(reinterpret_cast<const char*>(unit.block.text()),
                                    size - unit.block.added_end);
        find_groups(*search_.matcher, options_, text, unit.lines, context.captures);
        if (unit.block.added_end && !unit.lines.empty() && unit.lines.back().end == size - 1)
          ++unit.lines.back().end;
      } else {
        search_.matcher->match(unit.block.text(), size, unit.lines, context);
      }
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
      if (options_.messages) print_error("lanewise grep: {}: {}\n", unit.name, unit.error);
    }
    if (unit.job == nullptr) return;
    FileState& file = unit.job->state;
    if (unit.has_text && unit.error.empty()) {
      const std::string_view text(reinterpret_cast<const char*>(unit.block.text()), unit.block.size());
      selector_.block(file, {text, unit.block.added_end, unit.nul}, unit.lines, search_.multiline);
    }
    if (!unit.error.empty()) file.done = true;
    if (unit.ends) end(file);
  }

  void end(FileState& file) {
    const uint64_t found = file.selected;
    searched_ = true;
    report_->finish(file);
    if (options_.flush) out_.flush();
    if (options_.report != Report::kJson || file.begun) {
      totals_.files += 1;
      totals_.searched += file.searched;
    }
    totals_.files_with += found > 0;
    totals_.matches += file.matches;
    totals_.lines += file.matched_lines;
    const bool without = options_.report == Report::kFilesWithout;
    selected_ = selected_ || (without ? file.selected == 0 : file.selected > 0);
  }

  bool enough() const { return options_.report == Report::kNothing && selected_ && !options_.stats; }

  void finish(std::chrono::nanoseconds time) {
    if (options_.paths_are_default && !searched_ && !failed_) {
      failed_ = true;
      if (options_.messages)
        print_error("lanewise grep: no file was searched; --files shows which would be, -uuu searches all\n");
    }
    if (options_.messages && options_.files.ignore_messages) {
      for (const std::string& warning : walk_.warnings()) print_error("lanewise grep: {}\n", warning);
    }
    totals_.printed = out_.written();
    if (options_.report == Report::kJson) {
      write_json_summary(totals_, time, time, out_);
    } else if (options_.stats) {
      const double seconds = static_cast<double>(time.count()) / 1e9;
      out_.write(fmt::format(
          "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n"
          "{} bytes searched\n{:.6f} seconds spent searching\n{:.6f} seconds\n",
          totals_.matches, totals_.lines, totals_.files_with, totals_.files,
          options_.report == Report::kLines ? totals_.printed : 0, totals_.searched, seconds, seconds));
    }
    if (options_.explain) explain(time);
  }

  void explain(std::chrono::duration<double> time) const {
    const auto row = [](const char* name, const std::string& value) {
      print_error("{:<10}{}\n", name, value);
    };
    row("searched", fmt::format("{} in {} file{}", format_size(totals_.searched), totals_.files,
                                totals_.files == 1 ? "" : "s"));
    row("time", fmt::format("{:.3f} s, {:.2f} GB/s, {} threads", time.count(),
                            static_cast<double>(totals_.searched) / 1e9 / time.count(), thread_count_));
    row("pattern", search_.matcher->describe());
    std::istringstream reasons(search_.matcher->matcher().describe());
    for (std::string line; std::getline(reasons, line);) row("", line);
    if (lanes_.lane_steps > 0) row("occupancy", fmt::format("{:.1f} %", 100 * lanes_.occupancy()));
  }

  const Options& options_;
  const Search search_;
  Out out_;
  const std::unique_ptr<Reporter> report_;
  Selector selector_;
  struct stat output_{};  // where standard output is a regular file

  std::mutex mutex_;  // held while a unit is taken
  Walk walk_;
  const int thread_count_;
  std::shared_ptr<Job> current_;
  uint64_t tickets_ = 0;
  Totals totals_;
  lanes::Stats lanes_;

  std::atomic<uint64_t> turn_ = 0;  // whose ticket it is may print
  bool selected_ = false;
  bool searched_ = false;  // some file
  bool failed_ = false;
};

}  // namespace

std::string shown_name(const std::string& path, const Options& options) {
  if (path == "-") return "<stdin>";
  std::string name = path;
  if (options.paths_are_default && name.starts_with("./")) name.erase(0, 2);
  if (options.path_separator != '/') std::ranges::replace(name, '/', options.path_separator);
  return name;
}

Outcome run(const Options& options, OutputFile& out) { return Run(options, out).search(); }

Outcome list_files(const Options& options, OutputFile& out) {
  Walk walk(options);
  Outcome outcome;
  for (Found found; walk.next(found);) {
    const std::string name = found.path == "-" ? "-" : shown_name(found.path, options);
    if (!found.error.empty()) {
      outcome.failed = true;
      if (options.messages) print_error("lanewise grep: {}: {}\n", name, found.error);
      continue;
    }
    outcome.selected = true;
    if (options.quiet) break;
    if (options.colours) out.write(options.colour_specs.path.start());
    out.write(name);
    if (options.colours) out.write(kResetColour);
    out.write(options.null_names ? std::string_view("\0", 1) : "\n");
  }
  return outcome;
}

}  // namespace lanewise::cli::grep
