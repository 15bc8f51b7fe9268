#include "sql/json_buffer.h"

#include <algorithm>
#include <utility>

namespace lanewise::sql {

namespace {

/// Whether a text begins with a line that is one object. Its syntax is for the reader to check.
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

}  // namespace

std::optional<JsonLines> JsonLines::of(duckdb::ClientContext& context, const std::string& function,
                                       const duckdb::named_parameter_map_t& parameters,
                                       const duckdb::FunctionData& bound) {
  constexpr size_t kFirstBytes = size_t{1} << 16;
  duckdb::MultiFileList& files = *bound.Cast<duckdb::MultiFileBindData>().file_list;
  duckdb::FileSystem& system = duckdb::FileSystem::GetFileSystem(context);
  // In several files there may be arrays, of which a thread reads all.
  if (parameters.contains("compression") || files.GetTotalFileCount() != 1) return std::nullopt;
  const std::string path = files.GetFirstFile().path;
  if (system.IsPipe(path)) return std::nullopt;  // can be read only once
  const auto file =
      system.OpenFile(path, duckdb::FileFlags::FILE_FLAGS_READ | duckdb::FileCompressionType::AUTO_DETECT);
  std::string text(kFirstBytes, '\0');
  text.resize(static_cast<size_t>(file->Read(text.data(), text.size())));

  const auto format = parameters.find("format");
  const std::string name =
      format == parameters.end() ? "auto" : duckdb::StringUtil::Lower(format->second.ToString());
  const bool named = function.starts_with("read_ndjson") || name == "nd" || name == "newline_delimited";
  if (!named && (name != "auto" || !begins_with_object(text))) return std::nullopt;
  const auto longest = parameters.find("maximum_object_size");
  JsonLines lines;
  if (longest != parameters.end()) lines.longest = longest->second.GetValue<uint32_t>();
  lines.mean = text.size() / static_cast<size_t>(std::ranges::count(text, '\n') + 1);
  return lines;
}

size_t JsonBuffer::threads(const ScannedFunction& scanned, const duckdb::GlobalTableFunctionState& global,
                           size_t row_bytes) {
  const auto& lines = scanned.json_lines();
  if (!lines) return 1;
  const size_t buffer = 2 * lines->longest;
  // DuckDB has three buffers for a thread, and the thread holds the rows of one: their strings and their
  // values.
  const size_t per_thread = 4 * buffer + buffer / std::max<size_t>(lines->mean, 1) * row_bytes;
  const size_t memory = duckdb::BufferManager::GetBufferManager(scanned.context()).GetMaxMemory();
  return std::clamp<size_t>(memory / 2 / per_thread, 1, std::max<size_t>(1, global.MaxThreads()));
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
    // Of its own errors, all of this type, the reader knows.
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
