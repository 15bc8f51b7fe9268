#include "output/result_writer.h"

namespace lanewise::cli {

namespace {

class ArrowWriter : public ResultWriter {
 public:
  explicit ArrowWriter(ArrowFormat format) : format_(format) {}

  void write(const Table& table, OutputFile& out) override {
    ArrowArrayStream rows{};
    arrow::export_stream(table, &rows);
    write_arrow(&rows, format_, [&out](std::string_view bytes) { out.write(bytes); });
  }

 private:
  ArrowFormat format_;
};

}  // namespace

std::unique_ptr<ResultWriter> make_arrow_writer(ArrowFormat format) {
  return std::make_unique<ArrowWriter>(format);
}

}  // namespace lanewise::cli
