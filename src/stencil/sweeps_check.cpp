#include <ridge/core/random.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/stencil/check.hpp>
#include <ridge/stencil/sweeps_check.hpp>

#include <algorithm>

namespace ridge::stencil {

namespace {

/// Points along each axis of what is compared.
constexpr Index compared = 6;

} // namespace

Index checked_steps(Offset radius, Index steps) {
  const int most = std::max({radius.x, radius.y, radius.z, 1});
  return std::min<Index>(steps, 24 / most);
}

std::vector<CheckedBox> checked_boxes(Index3 extents, Offset radius, const Boundaries& boundaries,
                                      Index steps) {
  const Index n[3] = {extents.x, extents.y, extents.z};
  const Index r[3] = {radius.x, radius.y, radius.z};
  std::vector<CheckedBox> boxes;
  for (int place = 0; place < 3; ++place) {
    CheckedBox box{{}, {}, {}, {}, boundaries};
    for (int axis = 0; axis < 3; ++axis) {
      auto& faces = box.boundaries.faces[static_cast<std::size_t>(axis)];
      const bool periodic = faces[0].kind == Boundary::periodic;
      const Index room = n[axis] - std::min(compared, n[axis]);
      const Index begin = periodic || place == 1 ? room / 2 : place == 0 ? 0 : room;
      box.right_begin[axis] = begin;
      box.right_end[axis] = std::min(begin + compared, n[axis]);
      box.begin[axis] = begin - steps * r[axis];
      box.end[axis] = box.right_end[axis] + steps * r[axis];
      if (periodic && (box.begin[axis] < 0 || box.end[axis] > n[axis])) {
        box.begin[axis] = 0;
        box.end[axis] = n[axis];
        continue; // stays periodic
      }
      box.begin[axis] = std::max<Index>(box.begin[axis], 0);
      box.end[axis] = std::min(box.end[axis], n[axis]);
      if (box.begin[axis] > 0 || periodic) faces[0] = {};
      if (box.end[axis] < n[axis] || periodic) faces[1] = {};
    }
    boxes.push_back(std::move(box));
  }
  return boxes;
}

namespace {

/// What the inputs hold within a box, as T keeps it.
template <class T>
std::vector<std::vector<double>> start_within(const CheckedBox& box, Index3 n, int inputs) {
  std::vector<std::vector<double>> fields(static_cast<std::size_t>(inputs));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (Index z = box.begin[2]; z < box.end[2]; ++z) {
      for (Index y = box.begin[1]; y < box.end[1]; ++y) {
        for (Index x = box.begin[0]; x < box.end[0]; ++x)
          fields[i].push_back(static_cast<T>(random_value(i + 1, x + n.x * (y + n.y * z))));
      }
    }
  }
  return fields;
}

} // namespace

template <class T>
Check check_sweeps(Queue& queue, Sweeps& sweeps, const EvolutionReference& reference,
                   const Traits& traits, const Boundaries& boundaries, Index3 n, Index steps,
                   double tolerance) {
  Deviation total;
  const View<const T> got = sweeps.view<T>(0);
  for (const CheckedBox& box : checked_boxes(n, traits.radius, boundaries, steps)) {
    const Index3 size{box.end[0] - box.begin[0], box.end[1] - box.begin[1],
                      box.end[2] - box.begin[2]};
    const auto within = [&](const Index(&at)[3]) {
      return Index3{at[0] - box.begin[0], at[1] - box.begin[1], at[2] - box.begin[2]};
    };
    const BoundedField expected =
        reference(start_within<T>(box, n, traits.inputs()), size, box.boundaries,
                  {within(box.right_begin), within(box.right_end)}, steps);
    HostBox host(queue, Bytes{got.row * size.y * size.z * static_cast<Index>(sizeof(T))});
    const View<const T> here =
        host.template fetch<T>(queue, got, box.begin[1], size.y, box.begin[2], size.z);
    queue.wait();
    for (Index z = box.right_begin[2]; z < box.right_end[2]; ++z) {
      for (Index y = box.right_begin[1]; y < box.right_end[1]; ++y) {
        for (Index x = box.right_begin[0]; x < box.right_end[0]; ++x) {
          const auto i = static_cast<std::size_t>(
              x - box.begin[0] + size.x * (y - box.begin[1] + size.y * (z - box.begin[2])));
          total.compare(here.data[here.at(x, y - box.begin[1], z - box.begin[2])],
                        expected.value[i], poisoned<T>(0xff), {x, y, z},
                        [&] { return expected.bound[i]; });
        }
      }
    }
  }
  return judge(total, tolerance);
}

template Check check_sweeps<float>(Queue&, Sweeps&, const EvolutionReference&, const Traits&,
                                   const Boundaries&, Index3, Index, double);
template Check check_sweeps<double>(Queue&, Sweeps&, const EvolutionReference&, const Traits&,
                                    const Boundaries&, Index3, Index, double);

} // namespace ridge::stencil
