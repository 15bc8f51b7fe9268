#include "sql/scan/json_buffer.h"

#include <algorithm>
#include <utility>

namespace lanewise::sql {

namespace {

constexpr size_t kLongestObject = size_t{16} << 20;  // DuckDB's maximum_object_size

/// Whether a text begins with a line that is one object. The reader checks its syntax.
bool begins_with_object(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (line.size() == text.size() || !line.starts_with('{')) return false;
  int depth = 0;
  bool quoted = false;
  size_t at = 0;
  do {
    const char c = line[at];
    if (c == '\\') ++at;
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += static_cast<int>(c == '{') - static_cast<int>(c == '}');
  } while (++at < line.size() && depth > 0);
  return depth == 0 && line.find_first_not_of(" \t\r", at) == std::string_view::npos;
}

/// The first bytes of a file; nothing for a pipe, which can be read only once.
std::optional<std::string> beginning_of(duckdb::ClientContext& context, const std::string& path) {
  constexpr size_t kFirstBytes = size_t{1} << 16;
  duckdb::FileSystem& system = duckdb::FileSystem::GetFileSystem(context);
  if (system.IsPipe(path)) return std::nullopt;
  const auto file =
      system.OpenFile(path, duckdb::FileFlags::FILE_FLAGS_READ | duckdb::FileCompressionType::AUTO_DETECT);
  std::string text(kFirstBytes, '\0');
  text.resize(static_cast<size_t>(file->Read(text.data(), text.size())));
  return text;
}

/// The format given by the parameter, or else by the function's name.
std::string format_of(const ScannedFunction& scanned) {
  const auto format = scanned.named_parameters().find("format");
  if (format == scanned.named_parameters().end())
    return scanned.function().name.starts_with("read_ndjson") ? "nd" : "auto";
  return duckdb::StringUtil::Lower(format->second.ToString());
}

}  // namespace

JsonThreads JsonThreads::of(const ScannedFunction& scanned, const duckdb::GlobalTableFunctionState& global,
                            size_t row_bytes) {
  duckdb::ClientContext& context = scanned.context();
  const duckdb::named_parameter_map_t& parameters = scanned.named_parameters();
  const duckdb::MultiFileList& files = *scanned.bind_data()->Cast<duckdb::MultiFileBindData>().file_list;
  const auto longest = parameters.find("maximum_object_size");
  const size_t buffer =
      2 * (longest == parameters.end() ? kLongestObject : longest->second.GetValue<uint32_t>());
  const size_t memory = duckdb::BufferManager::GetBufferManager(context).GetMaxMemory();
  const auto threads = [&](size_t per_thread) {
    return std::clamp<size_t>(memory / 2 / per_thread, 1, std::max<size_t>(1, global.MaxThreads()));
  };

  // DuckDB's rule: a thread reads a whole file if there is one for each thread, or if it is an array.
  const std::string format = format_of(scanned);
  const size_t count = files.GetTotalFileCount();
  if (format == "array" || count >= duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads())
    return {std::min(threads(2 * buffer), std::max<size_t>(count, 1)), false};

  const bool lines = format == "nd" || format == "newline_delimited";
  if (parameters.contains("compression") || (!lines && format != "auto")) return {};
  size_t line_bytes = SIZE_MAX;
  for (const duckdb::OpenFileInfo& file : files.Files()) {
    const auto beginning = beginning_of(context, file.path);
    if (!beginning || (!lines && !beginning->empty() && !begins_with_object(*beginning))) return {};
    line_bytes = std::min(line_bytes, beginning->size() / (std::ranges::count(*beginning, '\n') + size_t{1}));
  }
  // DuckDB has three buffers per thread, and the thread holds the rows of one: their strings and
  // values.
  return {threads(4 * buffer + buffer / std::max<size_t>(line_bytes, 1) * row_bytes), true};
}

JsonBuffer::JsonBuffer(const ScannedFunction& scanned, duckdb::GlobalTableFunctionState& global,
                       duckdb::LocalTableFunctionState& local)
    : scanned_(scanned),
      bound_(scanned.bind_data()->CastNoConst<duckdb::MultiFileBindData>()),
      global_(global.Cast<duckdb::MultiFileGlobalState>()),
      local_(local.Cast<duckdb::MultiFileLocalState>()) {}

JsonBuffer::~JsonBuffer() {
  try {
    while (!ended_) read_rows();
  } catch (const std::exception&) {  // The scan has stopped for another reason.
  }
}

void JsonBuffer::read_rows() {
  try {
    local_.scan_chunk.Reset();
    duckdb::AsyncResult result = local_.reader->Scan(scanned_.context(), *global_.global_state,
                                                     *local_.local_state, local_.scan_chunk);
    if (result.GetResultType() != duckdb::AsyncResultType::FINISHED) return;
    ended_ = true;
    bound_.interface->FinishReading(scanned_.context(), *global_.global_state, *local_.local_state);
  } catch (const std::exception& error) {
    ended_ = true;
    duckdb::ErrorData data(error);
    // The reader handles its own errors, all of this type.
    if (data.Type() != duckdb::ExceptionType::INVALID_INPUT)
      scanned_.context().GetExecutor().PushError(std::move(data));
    throw;
  }
}

void JsonBuffer::read(duckdb::DataChunk& rows) {
  while (!ended_) {
    read_rows();
    if (local_.scan_chunk.size() == 0) continue;
    rows.SetCardinality(local_.scan_chunk.size());
    bound_.multi_file_reader->FinalizeChunk(scanned_.context(), bound_, *local_.reader, *local_.reader_data,
                                            local_.scan_chunk, rows, local_.executor,
                                            global_.multi_file_reader_state);
    return;
  }
}

}  // namespace lanewise::sql
