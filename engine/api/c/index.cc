#include "index/index.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "api/c/arguments.h"
#include "api/c/error.h"
#include "api/c/options.h"
#include "api/device_choice.h"
#include "gpu/driver.h"
#include "index/gpu/device_index.h"

using namespace lanewise;  // C functions are outside of it
using lanewise::c::guarded, lanewise::c::need, lanewise::c::TakenArray;

/// The index on the host; with a device, its copy there is searched and changed.
struct lw_index {
  std::mutex mutex;
  Index host;
  std::optional<DeviceIndex> device;

  lw_index(Index index, const std::string& place) : host(std::move(index)) {
    const DeviceChoice choice = parse_device(place);
    if (!choice.offered()) return;
    if (!choice.only) throw UserError("an index has no device 'auto': choose cpu, cuda or cuda:N");
    device.emplace(host, gpu::Driver::system().device(choice.place.gpu));
  }
  /// Calls f with the copy that is searched and changed.
  template <class F>
  auto with(F f) {
    return device ? f(*device) : f(host);
  }
};

namespace {

constexpr const char* kBuildOptions = "unique, nulls, device";
constexpr const char* kOpenOptions = "read_only, device, wait";

/// guarded() for a call of an index, which waits for other threads' calls.
template <class Body>
lw_code in_index(lw_index* index, lw_error* error, const Body& body) {
  return guarded(error, [&] {
    need(index, "index");
    const std::lock_guard lock(index->mutex);
    body(*index);
  });
}

/// The columns of several batches, concatenated, without dictionaries.
ColumnPtr in_one_piece(const std::vector<Batch>& batches, size_t i, Type type) {
  if (batches.size() == 1 && !batches[0].columns[i]->dictionary) return batches[0].columns[i];
  ColumnBuilder builder(type);
  for (const Batch& batch : batches) {
    const Column& column = *batch.columns[i];
    const Column& held = column.dictionary ? *column.dictionary : column;
    visit(type.physical(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t row = 0; row < column.rows; ++row) {
        if (column.is_null(row)) {
          builder.append_null();
        } else if constexpr (std::is_same_v<T, std::string_view>) {
          builder.append_text(column.text(row));
        } else {
          builder.append_physical(
              held.values.as<T>()[column.dictionary ? column.values.as<uint32_t>()[row] : row]);
        }
      }
    });
  }
  return builder.finish();
}

std::vector<ColumnPtr> columns_of(const Table& table) {
  std::vector<ColumnPtr> columns;
  for (size_t i = 0; i < table.schema.size(); ++i)
    columns.push_back(in_one_piece(table.batches, i, table.schema[i].type));
  return columns;
}

/// The numbers that the caller gave, or 0, 1, 2, ...
const void* numbers(const int64_t* rows, int64_t count, std::vector<int64_t>& own) {
  if (rows != nullptr) return rows;
  own.resize(static_cast<size_t>(count));
  std::iota(own.begin(), own.end(), 0);
  return own.data();
}

Schema key_schema(const Index& index) {
  Schema schema;
  for (const KeyField& field : index.key_fields()) {
    schema.push_back(
        {index.key_fields().size() == 1 ? "key" : fmt::format("key{}", schema.size() + 1), field.type});
  }
  return schema;
}

ColumnPtr column_of(Type type, int64_t rows, Buffer values) {
  auto column = std::make_shared<Column>();
  column->type = type;
  column->rows = rows;
  column->values = std::move(values);
  return column;
}

void export_entries(const Index& index, IndexRanges found, ArrowArrayStream* out) {
  Schema schema = key_schema(index);
  schema.insert(schema.begin(), {"position", TypeId::kInt64});
  schema.push_back({"row", TypeId::kInt64});
  const auto count = static_cast<int64_t>(found.entries.count);
  std::vector<Batch> batches;
  if (count > 0) {
    Buffer positions = Buffer::allocate(found.entries.count * sizeof(int64_t), nullptr, "positions");
    for (size_t query = 0; query + 1 < found.offsets.size(); ++query) {
      std::fill(positions.mutable_as<int64_t>() + found.offsets[query],
                positions.mutable_as<int64_t>() + found.offsets[query + 1], static_cast<int64_t>(query));
    }
    Batch batch{count, {column_of(TypeId::kInt64, count, std::move(positions))}};
    for (ColumnPtr& key : found.entries.key) batch.columns.push_back(std::move(key));
    batch.columns.push_back(column_of(TypeId::kInt64, count, std::move(found.entries.values)));
    batches.push_back(std::move(batch));
  }
  arrow::export_stream({std::move(schema), std::move(batches)}, out);
}

Index built(TakenArray& taken, const int64_t* rows, const IndexOptions& given, bool nulls) {
  const Table table = taken.table();
  IndexOptions options = given;
  for (const Field& field : table.schema) options.key.push_back({field.type, nulls});
  Index index(options);
  if (table.rows() == 0) return index;
  std::vector<int64_t> own;
  index.load(Keys(columns_of(table)), numbers(rows, table.rows(), own));
  return index;
}

/// An index without row numbers was made for another purpose.
Index checked(Index index, const char* path) {
  if (index.value_bytes() == 8) return index;
  throw UserError(
      fmt::format("'{}' has values of {} bytes, not row numbers of 8", path, index.value_bytes()));
}

}  // namespace

lw_code lw_index_build(ArrowSchema* schema, ArrowArray* keys, const int64_t* rows, const lw_option* options,
                       size_t count, lw_index** out, lw_error* error) {
  TakenArray taken(schema, keys);
  return guarded(error, [&] {
    need(schema, "schema");
    need(keys, "keys");
    need(out, "out");
    IndexOptions given;
    bool nulls = false;
    std::string device = "cpu";
    for (const lw_option& option : std::span(options, count)) {
      const std::string_view name = option.name, value = option.value;
      if (name == "unique") {
        given.unique = c::parse_flag(name, value);
      } else if (name == "nulls") {
        nulls = c::parse_flag(name, value);
      } else if (name == "device") {
        device = value;
      } else {
        c::refuse_option(name, kBuildOptions);
      }
    }
    *out = new lw_index(built(taken, rows, given, nulls), device);
  });
}

lw_code lw_index_open(const char* path, const lw_option* options, size_t count, lw_index** out,
                      lw_error* error) {
  return guarded(error, [&] {
    need(path, "path");
    need(out, "out");
    Index::Mode mode = Index::Mode::kWrite;
    double wait = 0;
    std::string device = "cpu";
    for (const lw_option& option : std::span(options, count)) {
      const std::string_view name = option.name, value = option.value;
      if (name == "read_only") {
        if (c::parse_flag(name, value)) mode = Index::Mode::kRead;
      } else if (name == "device") {
        device = value;
      } else if (name == "wait") {
        wait = static_cast<double>(c::parse_count(name, value, 1'000'000));
      } else {
        c::refuse_option(name, kOpenOptions);
      }
    }
    *out = new lw_index(checked(Index::open(path, mode, nullptr, wait), path), device);
  });
}

void lw_index_close(lw_index* index) { delete index; }

int64_t lw_index_size(const lw_index* index) {
  return static_cast<int64_t>(index->device ? index->device->size() : index->host.size());
}

int lw_index_nulls(const lw_index* index) { return index->host.key_fields()[0].nullable ? 1 : 0; }

lw_code lw_index_key(const lw_index* index, ArrowArrayStream* out, lw_error* error) {
  return guarded(error, [&] {
    need(index, "index");
    need(out, "out");
    arrow::export_stream({key_schema(index->host), {}}, out);
  });
}

lw_code lw_index_find(lw_index* index, ArrowSchema* schema, ArrowArray* keys, int64_t* rows, int64_t* found,
                      lw_error* error) {
  TakenArray taken(schema, keys);
  return in_index(index, error, [&](lw_index& own) {
    need(keys, "keys");
    need(rows, "rows");
    const Table table = taken.table();
    size_t hits = 0;
    for (const Batch& batch : table.batches) {  // each in place, without a copy
      std::fill(rows, rows + batch.rows, -1);
      const std::vector<ColumnPtr> columns = columns_of({table.schema, {batch}});
      std::vector<uint64_t> bits(bits::words(batch.rows));
      hits += own.with([&](auto& one) { return one.find(Keys(columns), rows, bits.data()); });
      rows += batch.rows;
    }
    if (found != nullptr) *found = static_cast<int64_t>(hits);
  });
}

lw_code lw_index_range(lw_index* index, ArrowSchema* low_schema, ArrowArray* lows, ArrowSchema* high_schema,
                       ArrowArray* highs, int64_t limit, ArrowArrayStream* out, lw_error* error) {
  TakenArray taken_lows(low_schema, lows), taken_highs(high_schema, highs);
  return in_index(index, error, [&](lw_index& own) {
    need(lows, "lows");
    need(highs, "highs");
    need(out, "out");
    const Table low = taken_lows.table(), high = taken_highs.table();
    if (low.rows() != high.rows())
      throw UserError(
          fmt::format("the numbers of lower and upper bounds differ: {} and {}", low.rows(), high.rows()));
    IndexRanges found;
    if (low.rows() > 0) {
      const std::vector<ColumnPtr> first = columns_of(low), last = columns_of(high);
      const uint64_t most = limit < 0 ? UINT64_MAX : static_cast<uint64_t>(limit);
      found = own.with([&](auto& one) { return one.range(Keys(first), Keys(last), most); });
    }
    export_entries(own.host, std::move(found), out);
  });
}

lw_code lw_index_equal(lw_index* index, ArrowSchema* schema, ArrowArray* keys, ArrowArrayStream* out,
                       lw_error* error) {
  TakenArray taken(schema, keys);
  return in_index(index, error, [&](lw_index& own) {
    need(keys, "keys");
    need(out, "out");
    const Table table = taken.table();
    IndexRanges found;
    if (table.rows() > 0) {
      const std::vector<ColumnPtr> columns = columns_of(table);
      found = own.with([&](auto& one) { return one.equal(Keys(columns)); });
    }
    export_entries(own.host, std::move(found), out);
  });
}

lw_code lw_index_change(lw_index* index, lw_change change, ArrowSchema* schema, ArrowArray* keys,
                        const int64_t* rows, int64_t* changed, lw_error* error) {
  TakenArray taken(schema, keys);
  return in_index(index, error, [&](lw_index& own) {
    need(keys, "keys");
    const Table table = taken.table();
    size_t count = 0;
    if (table.rows() > 0) {
      const std::vector<ColumnPtr> columns = columns_of(table);
      const Keys given(columns);
      if (change == LW_ERASE) {
        count = own.with([&](auto& one) { return one.erase(given); });
      } else {
        need(rows, "rows");
        count = own.with([&](auto& one) {
          return change == LW_INSERT ? one.insert(given, static_cast<const void*>(rows))
                                     : one.upsert(given, static_cast<const void*>(rows));
        });
      }
    }
    if (changed != nullptr) *changed = static_cast<int64_t>(count);
  });
}

lw_code lw_index_save(lw_index* index, const char* path, lw_error* error) {
  return in_index(index, error, [&](lw_index& own) {
    need(path, "path");
    if (own.device) own.device->write_back();
    own.host.save(path);
    if (own.device) own.device->refresh();
  });
}

lw_code lw_index_commit(lw_index* index, lw_error* error) {
  return in_index(index, error, [&](lw_index& own) {
    if (own.device) own.device->write_back();
    own.host.commit();
    if (own.device) own.device->refresh();
  });
}

lw_code lw_index_verify(lw_index* index, lw_error* error) {
  return in_index(index, error, [&](lw_index& own) {
    if (own.device) own.device->write_back();
    own.host.verify();
    if (own.device) own.device->refresh();
  });
}
