#include "grep/queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/machine.h"
#include "grep/encoding.h"
#include "grep/preprocess.h"
#include "grep/run.h"

namespace lanewise::cli::grep {

namespace {

constexpr uint64_t kSmall = 1 << 17;  // bytes; files up to this size are read, which takes fewer system calls
constexpr size_t kText = 1 << 18;     // bytes of a batch, which fit into a core's cache
constexpr size_t kFew = 4;            // lists of files to be read; below this a worker finds more
constexpr uint64_t kMostAhead = 1;    // lists per core that may be read before their predecessor

constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NOCTTY;

Descriptor checked(int number, struct stat& status) {
  Descriptor file(number);
  if (number < 0 || ::fstat(number, &status) != 0) throw UserError(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw UserError(std::strerror(EISDIR));
  return file;
}

Descriptor open_file(const std::string& path, struct stat& status) {
  return checked(path == "-" ? STDIN_FILENO : ::open(path.c_str(), kReading), status);
}

/// Reads up to `size` bytes; returns how many.
size_t read_all(int file, uint8_t* to, size_t size) {
  size_t got = 0;
  while (got < size) {
    const ssize_t now = ::read(file, to + got, size - got);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw UserError(std::strerror(errno));
    if (now == 0) break;
    got += static_cast<size_t>(now);
  }
  return got;
}

}  // namespace

/// Opens files; the folder of several files is looked up once.
class Queue::Opener {
 public:
  Descriptor open(const std::string& path, struct stat& status) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return open_file(path, status);
    if (folder_.compare(0, std::string::npos, path, 0, slash) != 0) {
      folder_.assign(path, 0, slash);
      descriptor_.emplace(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    if (descriptor_->get() < 0) return open_file(path, status);
    return checked(::openat(descriptor_->get(), path.c_str() + slash + 1, kReading), status);
  }

 private:
  std::string folder_;
  std::optional<Descriptor> descriptor_;
};

Queue::Queue(const Options& options, bool whole)
    : options_(options),
      whole_(whole),
      most_ahead_(kMostAhead * static_cast<uint64_t>(machine_cores())),
      walk_(options) {
  for (const std::string& glob : options.preprocessor_globs) preprocessed_.add(glob, false);
  struct stat status{};
  if (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) output_ = status;
}

std::unique_ptr<Batch> Queue::claim() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_) return nullptr;
    if (auto batch = take_ready()) return batch;
    const bool found_all = walked_ && !walking_;
    if (found_all && found_.empty() && joined_ == places_) return nullptr;
    if (!walking_ && !walked_ && found_.size() < kFew) {
      walk_on(lock);
    } else if (!found_.empty() && places_ - joined_ < most_ahead_) {
      std::vector<Found> files = std::move(found_.front());
      found_.pop_front();
      const uint64_t place = places_++;
      lock.unlock();
      Elements elements = read(std::move(files));
      lock.lock();
      hand_in(place, std::move(elements));
    } else {
      changed_.wait(lock);
    }
  }
}

void Queue::give_back(std::unique_ptr<Batch> batch) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(batch));
}

void Queue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::unique_ptr<Batch> Queue::take_ready() {
  if (current_ == nullptr && ready_.empty()) return nullptr;
  std::unique_ptr<Batch> batch;
  if (current_ == nullptr && ready_.front().batch) {
    batch = std::move(ready_.front().batch);
    ready_.pop_front();
  } else {
    batch = new_batch();
    claim_block(*batch);
  }
  batch->ticket = tickets_++;
  return batch;
}

/// The next block of the current file, or the first one of the next file.
void Queue::claim_block(Batch& batch) {
  Unit& unit = batch.units[0];
  batch.size = 1;
  unit.has_text = false;
  unit.ends = true;
  unit.job.reset();
  unit.error.clear();
  if (current_ == nullptr) {
    const Found found = std::move(ready_.front().found);
    ready_.pop_front();
    unit.name = shown_name(found.path, options_);
    try {
      auto job = std::make_shared<Job>();
      open(found, *job);
      current_ = std::move(job);
    } catch (const UserError& error) {
      unit.error = error.what();
      return;
    }
  }
  unit.name = current_->state.name;
  unit.job = current_;
  try {
    unit.has_text = !current_->state.done && current_->input->claim(unit.block);
    unit.ends = !unit.has_text || unit.block.last;
  } catch (const UserError& error) {
    unit.error = error.what();
  }
  if (unit.ends) current_.reset();
}

/// Finds some lists of files, while other workers read those found before.
void Queue::walk_on(std::unique_lock<std::mutex>& lock) {
  walking_ = true;
  for (size_t lists = 0; lists < kFew && !walked_ && !stopped_; ++lists) {
    lock.unlock();
    std::vector<Found> files;
    bool more = true;
    while (files.size() < Batch::kMost && more) {
      Found found;
      more = walk_.next(found);
      if (more) files.push_back(std::move(found));
    }
    lock.lock();
    walked_ = !more;
    if (!files.empty()) found_.push_back(std::move(files));
    changed_.notify_all();
  }
  walking_ = false;
  changed_.notify_all();
}

std::unique_ptr<Batch> Queue::new_batch() {
  std::unique_ptr<Batch> batch;
  if (!spare_.empty()) {
    batch = std::move(spare_.back());
    spare_.pop_back();
  } else {
    batch = std::make_unique<Batch>();
  }
  batch->size = batch->used = 0;
  return batch;
}

Queue::Elements Queue::read(std::vector<Found> files) {
  Elements elements;
  Opener opener;
  std::unique_ptr<Batch> batch;
  const auto add = [&] {
    if (batch && batch->size > 0) elements.push_back({std::move(batch), {}});
    if (batch) return;
    const std::lock_guard lock(mutex_);
    batch = new_batch();
  };
  add();
  for (Found& found : files) {
    Small small = read_small(found, opener, *batch);
    if (small == Small::kFull) {
      add();
      small = read_small(found, opener, *batch);
    }
    if (small == Small::kTaken) continue;
    add();
    elements.push_back({nullptr, std::move(found)});
  }
  if (batch->size > 0) elements.push_back({std::move(batch), {}});
  return elements;
}

/// Reads a whole small regular file, or records its error. kNot: the file is something else, or must be
/// decoded.
Queue::Small Queue::read_small(const Found& found, Opener& opener, Batch& batch) const {
  Unit& unit = batch.units[batch.size];
  unit.name = shown_name(found.path, options_);
  unit.error = found.error;
  unit.has_text = false;
  unit.ends = true;
  unit.job.reset();
  if (!unit.error.empty()) {
    ++batch.size;
    return Small::kTaken;
  }
  if (*options_.mapped || found.path == "-" || is_preprocessed(found.path)) return Small::kNot;
  try {
    struct stat status{};
    const Descriptor file = opener.open(found.path, status);
    if (!S_ISREG(status.st_mode) || status.st_size == 0 || status.st_size >= off_t{kSmall})
      return Small::kNot;
    const auto size = static_cast<size_t>(status.st_size);
    if (!batch.text) batch.text = Buffer::allocate(kText, nullptr, "grep");
    if (batch.used + size + 1 > kText) return Small::kFull;
    uint8_t* text = batch.text.mutable_data() + batch.used;
    size_t got = read_all(file.get(), text, size);
    const std::string_view head(reinterpret_cast<const char*>(text), std::min(got, kMagicBytes));
    if (got == 0 || is_encoded(head, found.path)) return Small::kNot;
    auto job = std::make_shared<Job>();
    job->state.name = unit.name;
    prepare(found, status, job->state);
    job->converts = job->state.at_nul == AtNul::kSay && !whole_;
    unit.block.first = unit.block.last = true;
    unit.block.nul_after = 0;
    unit.block.added_end = text[got - 1] != static_cast<uint8_t>(options_.line_end);
    if (unit.block.added_end) text[got++] = static_cast<uint8_t>(options_.line_end);
    unit.block.set(text, got);
    batch.used += got;
    unit.has_text = true;
    unit.job = std::move(job);
  } catch (const UserError& error) {
    unit.error = error.what();
  }
  ++batch.size;
  return Small::kTaken;
}

/// Appends the files that were read to their predecessors.
void Queue::hand_in(uint64_t place, Elements elements) {
  read_.emplace(place, std::move(elements));
  for (auto next = read_.begin(); next != read_.end() && next->first == joined_; next = read_.erase(next)) {
    std::ranges::move(next->second, std::back_inserter(ready_));
    ++joined_;
  }
  changed_.notify_all();
}

void Queue::prepare(const Found& found, const struct stat& status, FileState& state) const {
  // A search of its own output would never end.
  const bool shows_lines = options_.report == Report::kLines || options_.report == Report::kJson;
  if (shows_lines && S_ISREG(status.st_mode) && status.st_ino == output_.st_ino &&
      status.st_dev == output_.st_dev && output_.st_nlink > 0)
    throw UserError("the input is also the output");
  state.at_nul = options_.binary == Binary::kText                    ? AtNul::kNothing
                 : found.named || options_.binary == Binary::kSearch ? AtNul::kSay
                                                                     : AtNul::kStop;
}

void Queue::open(const Found& found, Job& job) const {
  struct stat status{};
  Descriptor file = open_file(found.path, status);
  const bool regular = S_ISREG(status.st_mode) && found.path != "-";
  FileState& state = job.state;
  state.name = shown_name(found.path, options_);
  prepare(found, status, state);
  InputLimits limits;
  limits.line_end = options_.line_end;
  limits.whole = whole_;
  const auto size = static_cast<uint64_t>(status.st_size);
  const int number = file.get();
  const bool preprocessed = is_preprocessed(found.path);
  if (preprocessed || needs_stream(number, regular, found.path)) {
    job.converts = state.at_nul == AtNul::kSay && !whole_;
    const std::string& encoding = options_.encoding;
    const bool by_mark = encoding.empty() || encoding == "auto" || encoding.starts_with("utf-16");
    state.transcoded = regular && !options_.decompress && by_mark;
    auto stream = preprocessed          ? preprocessed_stream(options_.preprocessor, found.path, number)
                  : options_.decompress ? decoded_stream(number, found.path)
                                        : plain_stream(number);
    if (options_.encoding != "none") stream = transcoded_stream(std::move(stream), options_.encoding);
    job.input = stream_input(std::move(file), std::move(stream), limits);
    return;
  }
  state.mapped = *options_.mapped && size > 0;
  job.converts = state.at_nul == AtNul::kSay && !state.mapped && !whole_;
  if (size >= kSmall) {
    job.input = mapped_input(number, size, limits);
    if (job.input) return;
  }
  if (size > 0 && size < kSmall) limits.block_bytes = size;
  job.input = stream_input(std::move(file), plain_stream(number), limits);
}

bool Queue::is_preprocessed(const std::string& path) const {
  return !options_.preprocessor.empty() && path != "-" &&
         preprocessed_.judge(path, false) != Verdict::kIgnore;
}

/// Whether the file must be converted, or is read as a stream.
bool Queue::needs_stream(int file, bool regular, const std::string& path) const {
  if (!regular) return true;
  char head[kMagicBytes];
  const ssize_t got = ::pread(file, head, sizeof head, 0);
  return got < 0 || is_encoded({head, static_cast<size_t>(got)}, path);
}

bool Queue::is_encoded(std::string_view head, const std::string& path) const {
  return (options_.decompress && is_compressed(head, path)) || needs_transcoding(head, options_.encoding);
}

}  // namespace lanewise::cli::grep
