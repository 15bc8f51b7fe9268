#include "ops/results/row_stream.h"

#include <algorithm>

#include "base/error.h"

namespace lanewise::ops {

bool RowStream::is_ready() const {
  if (batches_.empty()) return false;
  return batches_.begin()->first.first <= complete_below_;
}

bool RowStream::must_wait(size_t writer) const {
  if (stopped_ || aborted_ || bytes_ <= most_bytes_) return false;
  // The reader may need this writer's rows before it can take what others have added.
  return is_ready() || morsels_[writer] != std::ranges::min(morsels_);
}

std::optional<Batch> RowStream::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_ready() || ended_; });
  if (!is_ready()) {
    if (error_ != nullptr) std::rethrow_exception(error_);
    return std::nullopt;
  }
  Batch batch = std::move(batches_.begin()->second);
  batches_.erase(batches_.begin());
  bytes_ -= batch.bytes();
  changed_.notify_all();
  return batch;
}

void RowStream::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  batches_.clear();
  bytes_ = 0;
  changed_.notify_all();
}

RowStream::Writer::Writer(RowStream& stream)
    : stream_(stream), number_([&] {
        const std::lock_guard lock(stream.mutex_);
        stream.morsels_.push_back(kNoMorsel);
        return stream.morsels_.size() - 1;
      }()) {}

void RowStream::Writer::begin(uint64_t order) {
  const std::lock_guard lock(stream_.mutex_);
  stream_.morsels_[number_] = order;
  stream_.changed_.notify_all();
}

void RowStream::Writer::add(Batch batch) {
  std::unique_lock lock(stream_.mutex_);
  if (stream_.stopped_) throw CancelledError();
  if (stream_.aborted_ || stream_.morsels_[number_] >= stream_.cut_) return;
  stream_.bytes_ += batch.bytes();
  stream_.batches_.emplace(std::pair(stream_.morsels_[number_], stream_.added_++), std::move(batch));
  stream_.changed_.notify_all();
  stream_.changed_.wait(lock, [&] { return !stream_.must_wait(number_); });
  if (stream_.stopped_) throw CancelledError();
}

void RowStream::complete_below(uint64_t order) {
  const std::lock_guard lock(mutex_);
  if (aborted_ || order <= complete_below_) return;
  complete_below_ = order;
  changed_.notify_all();
}

void RowStream::cut(uint64_t order) {
  const std::lock_guard lock(mutex_);
  if (order >= cut_) return;
  cut_ = order;
  const auto first = batches_.lower_bound({order, 0});
  for (auto batch = first; batch != batches_.end(); ++batch) bytes_ -= batch->second.bytes();
  batches_.erase(first, batches_.end());
  changed_.notify_all();
}

void RowStream::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  changed_.notify_all();
}

void RowStream::end(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (error == nullptr) complete_below_ = UINT64_MAX;
  error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

namespace {

struct StreamLocal : Sink::Local {
  StreamLocal(const Schema& schema, RowStream& stream) : rows(schema, "Result"), writer(stream) {}

  void pass_on() {
    for (Batch& batch : rows.take()) writer.add(std::move(batch));
  }

  OrderedRows rows;
  RowStream::Writer writer;
};

}  // namespace

std::unique_ptr<Sink::Local> StreamSink::local() const {
  return std::make_unique<StreamLocal>(schema_, stream_);
}

void StreamSink::consume(Local& local, const Chunk& chunk, EvalContext& context) const {
  auto& own = static_cast<StreamLocal&>(local);
  own.rows.append(chunk, context.budget);
  own.pass_on();
}

Table StreamSink::finish(std::vector<std::unique_ptr<Local>>, EvalContext&) { return {schema_, {}}; }

void StreamSink::begin(Local& local, uint64_t order) {
  auto& own = static_cast<StreamLocal&>(local);
  own.rows.seal();
  own.pass_on();
  own.writer.begin(order);
}

}  // namespace lanewise::ops
