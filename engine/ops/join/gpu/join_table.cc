#include "ops/join/gpu/join_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "base/size.h"
#include "codegen/kernel_builder.h"
#include "data/physical_value.h"
#include "ops/gpu/device/device_full.h"
#include "ops/join/gpu/build_kernels.h"
#include "ops/join/gpu/pairs-inl.h"
#include "ops/join/gpu/probe_kernels.h"
#include "ops/join/gpu/split_kernels.h"
#include "ops/join/gpu/split_run.h"
#include "ops/run/profile.h"

namespace lanewise::ops {

namespace {

constexpr std::string_view kTable = "Join";
/// Numbers of a lookup at most, whatever is forced: each is a row's place.
constexpr uint64_t kMostNumbers = kernel::kUnknownRow;
/// Numbers for each row of a build side at most, where each has a place for a run.
constexpr uint64_t kMostNumbersOfRow = 4;
constexpr uint64_t kPartBits = std::bit_width(kernel::kLookupParts) - 1;
/// 64 KB of shared memory, three times in a multiprocessor.
constexpr uint64_t kMostSliceBits = 13;
/// Rows at most that find no place in their slice.
constexpr uint32_t kMostRest = uint32_t{1} << 18;

std::vector<JoinTable::ColumnPtr> uploaded(const Build& build, const Options& options, Accelerator& gpu,
                                           DeviceTimes& times) {
  const DeviceUpload upload{gpu.pool, gpu.staging, gpu.stream, options.budget};
  const Stopwatch watch;
  std::vector<JoinTable::ColumnPtr> columns;
  for (const auto* held : {&build.columns, &build.keys}) {
    for (const ColumnPtr& column : *held) {
      const std::vector<ColumnPiece> pieces = {{column, 0, column->rows}};
      columns.push_back(std::make_shared<const DeviceColumn>(to_device(column->type, pieces, upload)));
      times.uploaded += columns.back()->bytes();
    }
  }
  times.upload_seconds += watch.seconds();
  return columns;
}

/// The bounds as values of the type.
std::optional<KeyRange> range_of(const kernel::KeyBounds& bounds, Type type) {
  return visit(type.physical(), [&](auto zero) -> std::optional<KeyRange> {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const uint64_t sign = std::is_signed_v<T> ? uint64_t{1} << 63 : 0;  // see kernel::number_of()
      return KeyRange{to_value(type, static_cast<T>(bounds.low ^ sign)),
                      to_value(type, static_cast<T>(bounds.high ^ sign))};
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace

/// Fills a JoinTable, by kernels over the rows of its keys.
class JoinTable::Filling {
 public:
  Filling(JoinTable& table, const plan::Join& join, const Options& options, DeviceTimes& times)
      : table_(table),
        join_(join),
        options_(options),
        gpu_(table.gpu_),
        times_(times),
        program_(codegen::program_of_keys(join)),
        builder_(program_, codegen::SinkForm(), places(), forms()),
        module_(gpu_.modules.get(lookup_text(builder_).text())),
        key_(finds_numbers(program_, 0) ? table.columns_.back() : nullptr),
        bounds_(allocate(sizeof(kernel::KeyBounds))),
        clock_(gpu_.stream, gpu_.timers) {
    job_.words[codegen::JobLayout::kRows] = table.rows_;
    for (size_t key = 0; key < table.keys_; ++key) builder_.set_column(job_, key, key_column(key));
    gpu_.stream.fill(bounds_.address(), 0, bounds_.size());
    gpu_.stream.fill(bounds_.address(), 0xff, sizeof(uint64_t));  // the least so far
  }

  void run() {
    if (table_.rows_ != 0 && finds_numbers(program_, 0) &&
        gpu_.strategy.join != codegen::Strategy::Join::kHash)
      find_bounds();
    if (found_.low <= found_.high) table_.key_range_ = range_of(found_, key_->type);
    choose(are_movable(kept()) && !plan::asks_right(join_.kind) && !are_known_to_repeat());
    if (plan::asks_right(join_.kind)) make_marks();
    order_by_parts();
    if (is_placed_ && !place_rows()) choose(false);
    if (!is_placed_ && can_hold_values()) fill_values();
    if (!is_placed_ && !table_.holds_values_ && table_.lookup_.kind != kernel::LookupKind::kFull) fill();
    table_.has_null_keys_ = (noted_ & kernel::kNullKeys) != 0;
    if (table_.lookup_.kind == kernel::LookupKind::kBitmap && !keys_repeat() && may_be_full(noted_))
      become_full(1);
    const bool asks_runs = plan::gives_right(join_.kind) || join_.condition != nullptr;
    if (keys_repeat() && asks_runs) make_runs();
    if (options_.cancellation != nullptr) gpu_.stream.synchronize(*options_.cancellation);
    times_.kernel_seconds += clock_.settle(times_.kernels);
    times_.keys[&join_].push_back(table_.describe());
  }

 private:
  std::vector<size_t> places() const {
    std::vector<size_t> places(table_.keys_);
    std::iota(places.begin(), places.end(), size_t{0});
    return places;
  }
  std::vector<codegen::ColumnForm> forms() const {
    std::vector<codegen::ColumnForm> forms;
    for (size_t key = 0; key < table_.keys_; ++key) forms.push_back(codegen::form_of(key_column(key), 0));
    return forms;
  }
  const DeviceColumn& key_column(size_t key) const {
    return *table_.columns_[table_.columns_.size() - table_.keys_ + key];
  }
  gpu::DeviceBuffer allocate(size_t bytes) const { return gpu_.pool.allocate(bytes, gpu_.stream, kTable); }
  kernel::KeyBounds bounds() const { return fetch_one<kernel::KeyBounds>(gpu_, bounds_.address()); }

  bool keys_repeat() const { return (noted_ & kernel::kKeysRepeat) != 0; }
  void set_keys() {
    for (size_t key = 0; key < table_.keys_; ++key) builder_.set_column(job_, key, key_column(key));
  }
  /// The columns that the join keeps.
  std::span<ColumnPtr> kept() const {
    return std::span(table_.columns_).first(table_.columns_.size() - table_.keys_);
  }
  static std::vector<const DeviceColumn*> pointers(std::span<const ColumnPtr> columns) {
    std::vector<const DeviceColumn*> pointers;
    for (const ColumnPtr& column : columns) pointers.push_back(column.get());
    return pointers;
  }
  static ColumnPtr shared_column(DeviceColumn column) {
    return std::make_shared<const DeviceColumn>(std::move(column));
  }
  /// Whether the columns' values can be moved one by one.
  static bool are_fixed(std::span<const ColumnPtr> columns) {
    return std::none_of(columns.begin(), columns.end(),
                        [](const ColumnPtr& column) { return column->type.is_string(); });
  }

  /// Whether they have no NULL, too, and are not too many for one kernel.
  static bool are_movable(std::span<const ColumnPtr> columns) {
    return are_fixed(columns) && columns.size() <= kernel::MovedColumns::kMost &&
           std::none_of(columns.begin(), columns.end(),
                        [](const ColumnPtr& column) { return bool(column->validity); });
  }

  void find_bounds() {
    if (const auto& known = key_->key_numbers) {
      found_ = {known->low, known->high,
                (known->ascend ? 0 : kernel::kNotAscending) | (known->have_null ? kernel::kNullKeys : 0)};
      return;
    }
    job_.words[codegen::JobLayout::kOut] = bounds_.address();
    run("bound");
    found_ = bounds();
    if (key_->own_bytes() != key_->bytes()) return;  // others may write there
    key_->key_numbers = {.low = found_.low,
                         .high = found_.high,
                         .ascend = (found_.noted & kernel::kNotAscending) == 0,
                         .have_null = (found_.noted & kernel::kNullKeys) != 0};
  }
  bool are_known_to_repeat() const {
    return key_ != nullptr && key_->key_numbers && key_->key_numbers->repeat.value_or(false);
  }
  bool are_known_to_be_unique() const {
    return (found_.noted & kernel::kNotAscending) == 0 ||
           (key_->key_numbers && !key_->key_numbers->repeat.value_or(true));
  }
  /// Whether each number of the lookup is a key, where no key repeats, and no lookup is forced.
  bool may_be_full(uint32_t noted) const {
    return table_.lookup_.size == table_.rows_ && (noted & kernel::kNullKeys) == 0 &&
           gpu_.strategy.join == codegen::Strategy::Join::kAuto;
  }
  /// What filling the lookup noted. Keys that were a build side's before need no round trip.
  void take_notes() {
    std::optional<KeyNumbers> none, &known = key_ != nullptr ? key_->key_numbers : none;
    if (known && known->repeat) {
      noted_ = (known->have_null ? kernel::kNullKeys : 0) | (*known->repeat ? kernel::kKeysRepeat : 0);
    } else {
      fetch_notes();
    }
  }
  void fetch_notes() {
    noted_ = bounds().noted;
    const bool are_compared = (noted_ & (kernel::kLikeFreeSlot | kernel::kSliceFull)) == 0;  // all were put
    if (are_compared && key_ != nullptr && key_->key_numbers) key_->key_numbers->repeat = keys_repeat();
  }

  /// The lookup whose memory is least: what it takes decides how much of it a cache holds. Where rows may be
  /// placed by their numbers, and these leave few of them out, a bitmap finds them.
  void choose(bool may_place) {
    using kernel::LookupKind;
    using Join = codegen::Strategy::Join;
    using Reason = LookupReason::Kind;
    const Join forced = gpu_.strategy.join;
    const uint64_t slots = std::bit_ceil(std::max<uint64_t>(2 * table_.rows_, 64));  // half are free
    set(LookupKind::kHash, slots, 0, slots * sizeof(uint64_t), reason_of_hash());
    static_assert(kernel::kFreeSlot == UINT64_MAX && kernel::kNoRow == UINT32_MAX);
    is_placed_ = false;
    const uint64_t span = found_.high - found_.low;
    if (found_.low <= found_.high && span < kMostNumbers) {
      const auto offer = [&](Join name, LookupKind kind, bool possible, uint64_t bytes, Reason why) {
        const bool chosen = possible && (forced == Join::kAuto ? bytes < table_bytes_ : forced == name);
        if (chosen)
          set(kind, span + 1, found_.low, (bytes + 7) / 8 * 8, {forced == name ? Reason::kForced : why});
        return chosen;
      };
      const bool ascends = (found_.noted & kernel::kNotAscending) == 0;
      const bool places = may_place && span < 2 * table_.rows_ && (!ascends || forced == Join::kBitmap);
      offer(Join::kDirect, LookupKind::kDirect, true, (span + 1) * sizeof(uint32_t), Reason::kNarrow);
      offer(Join::kRanks, LookupKind::kRanks, ascends, (span / 32 + 1) * sizeof(kernel::Ranks),
            Reason::kAscending);
      const bool exists = plan::asks_existence(join_);
      is_placed_ = offer(Join::kBitmap, LookupKind::kBitmap, places || exists,
                         (span / 32 + 1) * sizeof(uint32_t), exists ? Reason::kExistence : Reason::kPlaced) &&
                   !exists;
      if (are_known_to_be_unique() && may_be_full(found_.noted) && (ascends || is_placed_ || exists))
        return become_full(1);
    }
    table_.table_ = allocate(table_bytes_);
    table_.lookup_.table = table_.table_.address();
    is_clear_ = false;
    set_parts();
    if (!slice_shift()) clear_table();
  }
  LookupReason reason_of_hash() const {
    using Join = codegen::Strategy::Join;
    using Reason = LookupReason::Kind;
    const Join forced = gpu_.strategy.join;
    if (forced == Join::kHash) return {Reason::kForced};
    if (forced != Join::kAuto) return {Reason::kImpossible};
    if (table_.keys_ != 1) return {Reason::kSeveralKeys};
    if (key_ == nullptr) return {Reason::kNotIntegers};
    if (found_.low > found_.high) return {Reason::kNoKey};
    return {Reason::kWide, found_.high - found_.low};
  }
  /// No key is there.
  void clear_table() {
    using kernel::LookupKind;
    if (is_clear_) return;
    const bool by_bits =
        table_.lookup_.kind == LookupKind::kRanks || table_.lookup_.kind == LookupKind::kBitmap;
    gpu_.stream.fill(table_.table_.address(), by_bits ? 0 : 0xff, table_.table_.size());
    is_clear_ = true;
  }
  /// A hash table of several parts is made slice by slice: a slice has 2^shift slots.
  std::optional<uint64_t> slice_shift() const {
    if (!table_.part_shift_ || table_.lookup_.kind != kernel::LookupKind::kHash || !are_split()) return {};
    const uint64_t shift = *table_.part_shift_;
    return shift > kPartBits && shift - kPartBits <= kMostSliceBits ? std::optional(shift - kPartBits)
                                                                    : std::nullopt;
  }
  /// Whether rows are put into the order of parts, where there are some.
  bool are_split() const { return are_movable(table_.columns_) && !plan::asks_right(join_.kind); }
  void set_parts() {
    slice_ends_.reset();
    uint64_t bytes = table_bytes_;
    for (const ColumnPtr& column : kept()) bytes += column->bytes();
    table_.part_shift_.reset();
    if (bytes <= gpu_.device.properties().l2 && !gpu_.strategy.split) return;
    table_.part_shift_ = static_cast<uint64_t>(
        std::max(static_cast<int>(std::bit_width(table_.lookup_.size - 1)) - static_cast<int>(kPartBits), 0));
  }
  void set(kernel::LookupKind kind, uint64_t size, uint64_t base, uint64_t bytes, LookupReason reason) {
    table_.lookup_ = {kind, 0, size, base};
    table_.reason_ = reason;
    table_bytes_ = bytes;
  }

  /// Puts rows into the order of the parts of the lookup, where it has some: the places of neighbours in it,
  /// and their columns, are then near each other.
  void order_by_parts() {
    if (!table_.part_shift_ || !are_split()) return;
    if (table_.lookup_.kind == kernel::LookupKind::kRanks) return;  // they are in that order
    if (table_.lookup_.kind == kernel::LookupKind::kFull && !is_placed_) return;
    split_module_ = gpu_.modules.get(split_build_text(builder_).text());
    try {
      const gpu::DeviceBuffer ends = split(*table_.part_shift_, 0);
      if (const auto shift = slice_shift()) slice_ends_ = split(*shift, ends.address());
    } catch (const MemoryError&) {  // they are found in any order
    }
  }
  /// Splits all rows, or those of each part, and returns where the rows of each part end.
  gpu::DeviceBuffer split(uint64_t shift, gpu::cuda::Address ends) {
    const std::vector<const DeviceColumn*> columns = pointers(table_.columns_);
    const uint64_t blocks = std::max<uint64_t>(row_blocks() / kernel::kLookupParts, 1) * kernel::kLookupParts;
    set_table(job_, builder_.layout(), 0, table_);
    job_.words[codegen::JobLayout::kShift] = shift;
    SplitRows split = split_rows(
        columns, table_.rows_, RowsLeft::kAll, job_, gpu_, [this](size_t bytes) { return allocate(bytes); },
        [&](const char* name, uint64_t rows, const auto&... arguments) {
          launch(split_module_->module.kernel(name), name, rows == 1 ? 1 : blocks, kernel::kSplitThreads,
                 arguments...);
        },
        ends);
    for (size_t i = 0; i < columns.size(); ++i)
      table_.columns_[i] = shared_column(std::move(split.columns[i]));
    set_keys();
    return std::move(split.ends);
  }

  /// Whether a slot has room for the value of what is kept of a row, which is fetched from there sooner.
  bool can_hold_values() const {
    if (are_known_to_repeat() || !table_.part_shift_ || table_.lookup_.kind != kernel::LookupKind::kHash ||
        !has_exact_keys(program_, 0))
      return false;
    if (join_.kind != plan::JoinKind::kInner || kept().size() != 1 || !are_fixed(kept())) return false;
    const DeviceColumn& value = *kept()[0];
    return width(value.type.physical()) <= sizeof(uint32_t) && !value.validity;
  }

  /// Fills the lookup with values. Where keys repeat, or one looks like a free slot, it is empty again
  /// afterwards.
  void fill_values() {
    const DeviceColumn& value = *kept()[0];
    job_.words[codegen::JobLayout::kRecords] = value.values.address();
    job_.words[codegen::JobLayout::kDepth] = width(value.type.physical());
    if (!put_rows("fill_values")) fetch_notes();
    job_.words[codegen::JobLayout::kRecords] = 0;
    table_.holds_values_ = (noted_ & (kernel::kKeysRepeat | kernel::kLikeFreeSlot)) == 0;
  }

  void fill() {
    if (!put_rows("fill")) take_notes();
  }

  /// Puts rows into the lookup, slice by slice or all at once. Returns whether what was noted came, too.
  bool put_rows(const char* name) {
    job_.words[codegen::JobLayout::kOut] = bounds_.address();
    set_table(job_, builder_.layout(), 0, table_);
    if (slice_ends_) {
      put_slices(name);
      fetch_notes();
      if ((noted_ & kernel::kSliceFull) == 0) return true;
      slice_ends_.reset();
    }
    clear_table();
    launch(module_->module.kernel("fill"), name, row_blocks(), kernel::kThreads, job_);
    is_clear_ = false;
    return false;
  }
  void put_slices(const char* name) {
    const gpu::DeviceBuffer rest = allocate((1 + kMostRest) * sizeof(uint32_t));
    gpu_.stream.fill(rest.address(), 0, sizeof(uint32_t));
    const uint64_t slots = uint64_t{1} << *slice_shift();
    const gpu::Kernel slices = module_->module.kernel("fill_slices");
    clock_.time(name, 0, [&] {
      slices.launch(
          gpu_.stream,
          {.blocks = kernel::kSlices, .threads = kernel::kSplitThreads, .shared = slots * sizeof(uint64_t)},
          job_, slots, slice_ends_.address(), rest.address(), kMostRest);
    });
    launch(module_->module.kernel("fill_rest"), "fill_rest", row_blocks(), kernel::kThreads, job_,
           rest.address(), kMostRest);
  }

  void make_marks() {
    DeviceColumn& marks = table_.marks_;
    marks.rows = static_cast<int64_t>(table_.rows_);
    marks.values = allocate(table_.rows_);
    gpu_.stream.fill(marks.values.address(), 0, table_.rows_);
  }

  /// Fills a bitmap, and puts the columns that the join keeps into the order of the keys' numbers. False:
  /// keys repeat, or there is no memory for it.
  bool place_rows() {
    MovedTo placed;
    try {
      placed =
          make_room(pointers(kept()), table_.lookup_.size, [this](size_t bytes) { return allocate(bytes); });
    } catch (const MemoryError&) {
      return false;
    }
    job_.words[codegen::JobLayout::kOut] = bounds_.address();
    set_table(job_, builder_.layout(), 0, table_);
    launch(module_->module.kernel("place_rows"), "place_rows", row_blocks(), kernel::kThreads, job_,
           placed.addresses);
    take_notes();
    if (keys_repeat()) return false;
    for (size_t i = 0; i < placed.columns.size(); ++i)
      table_.columns_[i] = shared_column(std::move(placed.columns[i]));
    return true;
  }

  /// Puts rows of equal keys side by side.
  void make_runs() {
    const uint64_t rows = table_.rows_;
    kernel::Lookup& lookup = table_.lookup_;
    gpu::DeviceBuffer standing = allocate(rows * sizeof(uint32_t)),
                      counts = allocate(rows * sizeof(uint32_t));
    gpu_.stream.fill(counts.address(), 0, counts.size());
    job_.words[builder_.layout().probe(0) + codegen::JobLayout::kFound] = standing.address();
    job_.words[codegen::JobLayout::kOut] = counts.address();
    run("count_runs");
    const bool placed = can_place_runs() && make_places(), numbered = !placed && can_number_runs();
    const uint64_t rows_by_number = placed ? lookup.table : 0, places = placed ? lookup.size : rows;
    const uint64_t tiles = (places + kernel::kTileRows - 1) / kernel::kTileRows;
    const gpu::DeviceBuffer sums = allocate(tiles * sizeof(uint64_t) + sizeof(kernel::RunsSeen)),
                            starts = allocate(rows * sizeof(uint32_t)),
                            numbers = numbered ? allocate(rows * sizeof(uint32_t)) : gpu::DeviceBuffer();
    const uint64_t seen = sums.address() + tiles * sizeof(uint64_t);  // scan_tiles() puts the sum there
    gpu_.stream.fill(seen, 0, sizeof(kernel::RunsSeen));
    shared("sum_runs", tiles, rows_by_number, places, counts.address(), sums.address());
    shared("scan_tiles", 1, sums.address(), tiles);
    if (!placed) {
      const uint64_t runs = numbered ? fetch_one<kernel::RunsSeen>(gpu_, seen).runs : rows;
      table_.runs_ = allocate(runs * sizeof(kernel::Matches));
    }
    shared("start_runs", tiles, rows_by_number, places, counts.address(), sums.address(), starts.address(),
           numbers.address(), table_.runs(), seen + offsetof(kernel::RunsSeen, longest));
    counts.reset();
    if (placed) become_runs();
    table_.order_ = allocate(rows * sizeof(uint32_t));
    if (table_.has_null_keys_) gpu_.stream.fill(table_.order(), 0, table_.order_.size());  // after the runs
    shared("order_rows", row_blocks(), standing.address(), rows, starts.address(), table_.order());
    if (numbered) {
      const bool slots = lookup.kind == kernel::LookupKind::kHash;
      shared("number_runs", most_blocks(gpu_), lookup.table, lookup.size, slots ? 2U : 1U, numbers.address());
    }
    standing.reset();
    const auto found = fetch_one<kernel::RunsSeen>(gpu_, seen);
    table_.longest_run_ = found.longest;
    table_.has_short_runs_ = found.longest <= kernel::kShortRun &&
                             uint64_t{2} * found.longest * found.runs <= 3 * uint64_t{found.rows};
    if (placed && uint64_t{found.longest} * lookup.size == found.rows) become_full(found.longest);
    order_columns();
  }

  /// Whether runs may be found by their keys' numbers, in one read.
  bool can_place_runs() const {
    return !table_.marks_.values && table_.lookup_.kind == kernel::LookupKind::kDirect &&
           table_.lookup_.size <= kMostNumbersOfRow * table_.rows_;
  }
  /// Makes room for a run at each number. False: there is none.
  bool make_places() {
    try {
      table_.runs_ = allocate(table_.lookup_.size * sizeof(kernel::Matches));
    } catch (const MemoryError&) {
      return false;
    }
    return true;
  }

  /// The lookup becomes the runs themselves.
  void become_runs() {
    table_.table_.reset();
    table_.lookup_.kind = kernel::LookupKind::kRuns;
    table_.reason_ = {LookupReason::Kind::kRepeated};
    table_.lookup_.table = table_.runs();
  }
  /// Each number of the lookup finds so many rows, and nothing is read for that.
  void become_full(uint32_t rows) {
    table_.table_.reset();
    table_bytes_ = 0;
    table_.lookup_.kind = kernel::LookupKind::kFull;
    table_.lookup_.table = rows;
    table_.reason_ = {LookupReason::Kind::kFull};
    set_parts();
  }

  /// Whether the lookup can hold numbers of runs, which are fewer than rows: it is not used for a row.
  bool can_number_runs() const {
    const kernel::LookupKind kind = table_.lookup_.kind;
    return !table_.marks_.values && (kind == kernel::LookupKind::kDirect ||
                                     (kind == kernel::LookupKind::kHash && has_exact_keys(program_, 0)));
  }

  /// Puts the columns that the join keeps into the order of runs, so that a row's matches are read side by
  /// side. Not where rows are marked: marks are by the rows' own numbers, and those without a key have some.
  void order_columns() {
    if (!are_fixed(kept()) || table_.marks_.values) return;
    const uint64_t rows = table_.rows_;
    for (ColumnPtr& kept : this->kept()) {
      const auto bytes = static_cast<uint32_t>(width(kept->type.physical()));
      auto moved = std::make_shared<DeviceColumn>();
      moved->type = kept->type;
      moved->rows = static_cast<int64_t>(rows);
      moved->values = allocate(rows * bytes);
      shared("take_values", row_blocks(), kept->values.address(), bytes, table_.order(), rows,
             moved->values.address());
      if (kept->validity) {
        moved->validity = allocate(bits::words(rows) * sizeof(uint64_t));
        shared("take_bits", row_blocks(), kept->validity.address(), table_.order(), rows,
               moved->validity.address());
      }
      kept = std::move(moved);
    }
    table_.order_.reset();
  }

  uint64_t row_blocks() const {
    const uint64_t blocks = (table_.rows_ + kernel::kThreads - 1) / kernel::kThreads;
    return std::clamp<uint64_t>(blocks, 1, most_blocks(gpu_));
  }
  /// One of list_kernels().
  template <class... Arguments>
  void shared(const char* name, uint64_t blocks, Arguments... arguments) {
    launch(gpu_.list_kernel(name), name, blocks, kernel::kThreads, arguments...);
  }
  /// One of the keys' own kernels.
  void run(const char* name) {
    launch(module_->module.kernel(name), name, row_blocks(), kernel::kThreads, job_);
  }
  template <class... Arguments>
  void launch(const gpu::Kernel& kernel, const char* name, uint64_t blocks, unsigned threads,
              Arguments... arguments) {
    clock_.time(name, 0,
                [&] { kernel.launch(gpu_.stream, {.blocks = blocks, .threads = threads}, arguments...); });
  }

  JoinTable& table_;
  const plan::Join& join_;
  const Options& options_;
  Accelerator& gpu_;
  DeviceTimes& times_;
  const codegen::Program program_;
  const codegen::KernelBuilder builder_;
  const std::shared_ptr<const gpu::BuiltModule> module_;
  const ColumnPtr key_;  // as it came; the only one, where numbers are found
  const gpu::DeviceBuffer bounds_;
  KernelClock clock_;
  kernel::Job job_ = {};
  uint64_t table_bytes_ = 0;
  bool is_clear_ = false;  // the table
  std::shared_ptr<const gpu::BuiltModule> split_module_;
  gpu::DeviceBuffer slice_ends_;  // where the rows of each slice end, if they are in the order of slices
  kernel::KeyBounds found_ = {UINT64_MAX, 0, 0};
  uint32_t noted_ = 0;
  bool is_placed_ = false;  // the columns that the join keeps are to be in the order of numbers
};

JoinTable::JoinTable(const plan::Join& join, std::vector<ColumnPtr> columns, uint64_t rows,
                     const Options& options, Accelerator& gpu, DeviceTimes& times)
    : gpu_(gpu), rows_(rows), keys_(join.keys.size()), columns_(std::move(columns)) {
  marks_.type = TypeId::kBool;
  Filling(*this, join, options, times).run();
}

JoinTable::JoinTable(const plan::Join& join, const Build& build, const Options& options, Accelerator& gpu,
                     DeviceTimes& times)
    : JoinTable(join, uploaded(build, options, gpu, times), build.rows, options, gpu, times) {}

std::string JoinTable::describe() const {
  if (lookup_.kind == kernel::LookupKind::kFull)
    return fmt::format("{} rows, {} for each of {} numbers: {}", rows_, lookup_.table, lookup_.size,
                       reason_.text());
  constexpr const char* kNames[] = {"hash table of {} slots", "array by {} numbers", "ranks of {} numbers",
                                    "bitmap of {} numbers", "runs by {} numbers"};
  const char* const name = kNames[static_cast<size_t>(lookup_.kind)];
  return fmt::format("{} rows, {}, {}: {}", rows_, fmt::format(fmt::runtime(name), lookup_.size),
                     format_size(table_ ? table_.size() : runs_.size()), reason_.text());
}

bool keys_repeat(const Build* build, const JoinTable* on_device) {
  return on_device != nullptr ? !on_device->unique() : build != nullptr && !build->unique();
}

}  // namespace lanewise::ops
