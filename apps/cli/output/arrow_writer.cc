#include <optional>
#include <utility>

#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

class ArrowWriter : public ResultWriter {
 public:
  explicit ArrowWriter(ArrowFormat format) : format_(format) {}

  void write(const Batches& rows, OutputFile& out) override {
    Table table{rows.schema, {}};
    while (std::optional<Batch> batch = rows.next()) table.batches.push_back(std::move(*batch));
    ArrowArrayStream stream{};
    arrow::export_stream(std::move(table), &stream);
    write_arrow(&stream, format_, [&out](std::string_view bytes) { out.write(bytes); });
  }

 private:
  ArrowFormat format_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_arrow_writer(ArrowFormat format) {
  return std::make_unique<ArrowWriter>(format);
}

}  // namespace lanewise::cli
