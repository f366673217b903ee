// 9. Many bodies: near ones by lists, far ones by a tree. A block of rock salt: how many neighbours
// its ions have, and Madelung's constant against its value. Usage: salt [DEVICE]
#include <ridge/bodies.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int half = 4; // of the block, in distances of neighbours

/// The ions' places, and the charges of one sign as masses: the others have none. Ions on faces,
/// edges and corners count by halves, so that the potential in the middle is a crystal's (Evjen).
struct Ions {
  std::array<std::vector<double>, 4> values;
  std::size_t middle = 0;

  explicit Ions(int sign) {
    for (int x = -half; x <= half; ++x) {
      for (int y = -half; y <= half; ++y) {
        for (int z = -half; z <= half; ++z) {
          if (x == 0 && y == 0 && z == 0) middle = values[0].size();
          double charge = (x + y + z + 4 * half) % 2 == sign ? 1 : 0;
          for (const int at : {x, y, z})
            charge *= std::abs(at) == half ? 0.5 : 1;
          values[0].push_back(x);
          values[1].push_back(y);
          values[2].push_back(z);
          values[3].push_back(charge);
        }
      }
    }
  }
};

using Fields = std::array<ridge::Field<double>, 4>;

Fields fields_of(ridge::Queue& queue, const Ions& ions) {
  Fields fields;
  for (std::size_t c = 0; c < 4; ++c) {
    const auto& values = ions.values[c];
    fields[c] = ridge::Field<double>(queue.device(),
                                     ridge::Extents{static_cast<ridge::Index>(values.size())});
    ridge::copy_to_device(queue, fields[c].data(), values.data(), fields[c].count());
  }
  queue.wait();
  return fields;
}

/// The potential of the ion in the middle, by charges of one sign.
double potential_of(ridge::Queue& queue, int sign) {
  const Ions ions(sign);
  const Fields bodies = fields_of(queue, ions);
  const Fields sums = fields_of(queue, ions); // memory of as many numbers
  ridge::pairs::Tree tree(
      queue,
      {bodies[0].elements(), bodies[1].elements(), bodies[2].elements(), bodies[3].elements()},
      {.theta = 0.25});
  tree.update(); // as often as bodies have moved
  tree.sum({ridge::Span<double>{sums[0].data(), sums[0].count()},
            {sums[1].data(), sums[1].count()},
            {sums[2].data(), sums[2].count()},
            {sums[3].data(), sums[3].count()}});
  std::vector<double> potential(ions.values[0].size());
  ridge::copy_to_host(queue, potential.data(), sums[3].data(), sums[3].count());
  queue.wait();
  return -potential[ions.middle]; // masses attract
}

} // namespace

int main(int argc, char** argv) try {
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);

  const Ions ions(0);
  const Fields bodies = fields_of(queue, ions);
  const ridge::pairs::Positions<double> places{bodies[0].elements(), bodies[1].elements(),
                                               bodies[2].elements()};
  const ridge::pairs::Lists lists(queue, places, {.cutoff = 1.1, .skin = 0.3, .box = {}});
  const auto near = lists.pairs(); // each pair once
  std::size_t of_the_middle = 0;
  for (const auto& pair : near) {
    const auto middle = static_cast<ridge::Index>(ions.middle);
    of_the_middle += pair.first == middle || pair.second == middle ? 1 : 0;
  }
  std::printf("%zu ions have %zu pairs of neighbours; the one in the middle has %zu\n",
              ions.values[0].size(), near.size(), of_the_middle);

  const double constant = potential_of(queue, 1) - potential_of(queue, 0);
  const bool right = std::abs(constant - 1.747565) < 4e-3;
  std::printf("Madelung's constant is %s\n", right ? "1.7476 to within 0.004" : "WRONG");
  return right && near.size() == 1944 && of_the_middle == 6 ? 0 : 1;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "salt: %s\n", error.what());
  return static_cast<int>(error.code());
}
