#include "picture.hpp"

#include "../core/refuse.hpp"
#include "../io/output_file.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::app {

namespace {

constexpr Index good_width = 1000; ///< pixels, about

using Colour = std::array<double, 3>;

/// From blue over white to red, for -1 to 1, as dark at either end.
Colour colour_of(double value) {
  const double v = std::clamp(value, -1.0, 1.0);
  const Colour white{247, 247, 247};
  const Colour half = v < 0 ? Colour{103, 169, 207} : Colour{239, 138, 98};
  const Colour full = v < 0 ? Colour{5, 48, 97} : Colour{103, 0, 31};
  const double strength = std::abs(v);
  const bool pale = strength < 0.5;
  const double part = pale ? 2 * strength : 2 * strength - 1;
  Colour mixed;
  for (std::size_t i = 0; i < 3; ++i) {
    const double from = pale ? white[i] : half[i];
    const double to = pale ? half[i] : full[i];
    mixed[i] = from + (to - from) * part;
  }
  return mixed;
}

} // namespace

void write_picture(const io::OutputPlan& plan, const std::filesystem::path& file,
                   const std::vector<double>& values, Index nx, Index nz, double high) {
  double largest = 0;
  for (const double v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  // A pixel is the mean of the cells it covers, or part of one.
  const Index width =
      nx >= good_width ? std::min(nx, 2 * good_width) : nx * ((good_width + nx - 1) / nx);
  const Index height =
      std::clamp<Index>(std::lround(static_cast<double>(width) * high), 1, 4 * width);
  std::vector<png_byte> pixels(static_cast<std::size_t>(width * height * 3));
  const auto cells = [](Index pixel, Index pixel_count, Index cell_count) {
    const Index begin = pixel * cell_count / pixel_count;
    return std::array<Index, 2>{begin, std::max(begin + 1, (pixel + 1) * cell_count / pixel_count)};
  };
  for (Index row = 0; row < height; ++row) {
    const auto ks = cells(height - 1 - row, height, nz);
    for (Index column = 0; column < width; ++column) {
      const auto is = cells(column, width, nx);
      double sum = 0;
      for (Index k = ks[0]; k < ks[1]; ++k) {
        for (Index i = is[0]; i < is[1]; ++i)
          sum += values[static_cast<std::size_t>(k * nx + i)];
      }
      const double mean = sum / static_cast<double>((ks[1] - ks[0]) * (is[1] - is[0]));
      const Colour c = colour_of(largest > 0 && std::isfinite(mean) ? mean / largest : 0);
      for (std::size_t v = 0; v < 3; ++v)
        pixels[static_cast<std::size_t>(row * width + column) * 3 + v] =
            static_cast<png_byte>(std::lround(c[v]));
    }
  }

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  const auto encode = [&](void* to) {
    fail_if(png_image_write_to_memory(&image, to, &size, 0, pixels.data(), 0, nullptr) == 0,
            "writing {}: {}", file.string(), image.message);
  };
  encode(nullptr);
  std::string encoded(size, '\0');
  encode(encoded.data());
  encoded.resize(size);
  io::write_text_file(plan, file, encoded);
}

} // namespace ridge::app
