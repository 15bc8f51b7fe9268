#include "primitives/gpu/device_matrix.h"

#include "primitives/gpu/matrix_product-inl.h"

namespace lanewise {

gpu::KernelSource DeviceMatrixProduct::source(Element element) {
  static constexpr std::string_view kTypes[] = {"u32", "u64", "double"};  // unsigned integers wrap
  std::string text =
      "#include \"primitives/gpu/matrix_product-inl.h\"\nusing namespace lanewise::primitives;\nusing T "
      "= ";
  text += kTypes[static_cast<size_t>(element)];
  text += R"(;
extern "C" __global__ void __launch_bounds__(kProductThreads) multiply_all(const T* a, const T* b, T* product, u64 rows,
                                                                           u64 inner, u64 columns) {
  matrix_product(a, b, product, rows, inner, columns);
}
)";
  return {.name = "matrix product", .text = std::move(text)};
}

void DeviceMatrixProduct::multiply(Element element, gpu::cuda::Address a, gpu::cuda::Address b,
                                   gpu::cuda::Address product, uint64_t rows, uint64_t inner,
                                   uint64_t columns, gpu::Stream& stream) {
  auto found = modules_.find(element);
  if (found == modules_.end()) {
    found = modules_.emplace(element, gpu::build(pool_.device(), source(element)).module).first;
  }
  const auto tiles = [](uint64_t cells) {
    return (cells + primitives::kProductSide - 1) / primitives::kProductSide;
  };
  found->second.kernel("multiply_all")
      .launch(stream, {.blocks = tiles(rows) * tiles(columns), .threads = primitives::kProductThreads}, a, b,
              product, rows, inner, columns);
}

}  // namespace lanewise
