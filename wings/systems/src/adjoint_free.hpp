// Free faces of a system whose steps are taken back: setting velocities beyond them, and the
// transpose of that.
#pragma once

#include <ridge/chain/system/adjoint.hpp>
#include <ridge/chain/system/fold.hpp>

#include "face_launches.hpp"
#include "faces.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace ridge::chain {

template <class T>
class FreeFacesBack {
public:
  /// Where an array of the adjoint is.
  using Place = std::function<ArrayPlace<T>(int array)>;
  /// Appends what sets other points beyond faces of some arrays of the system.
  using SetOthers = std::function<void(std::vector<Bound>& to, const std::vector<int>& arrays)>;

  /// All must outlive it.
  FreeFacesBack(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup,
                const SystemAdjoint& adjoint)
      : queue_(queue), kernel_(kernel), setup_(setup), adjoint_(adjoint),
        faces_(free_faces(kernel, setup)) {}

  [[nodiscard]] bool any() const { return !faces_.empty(); }
  [[nodiscard]] bool acts_on(const std::vector<int>& arrays) const {
    return any() && std::ranges::count(arrays, kernel_.free_faces->velocities[0]) > 0;
  }
  /// Appends what sets velocities beyond these faces, in the order of the system.
  void set(std::vector<Bound>& to, const Place& place) { set(to, place, faces_.size()); }
  /// Appends the transpose. Where faces meet, one is set from points that a later one changes: the
  /// velocities are set again as they were before it.
  void fold(std::vector<Bound>& to, const Place& place, const SetOthers& others) {
    for (std::size_t i = faces_.size(); i-- > 0;) {
      if (faces_[i][0] != faces_.back()[0]) {
        const auto& velocities = kernel_.free_faces->velocities;
        others(to, {velocities.begin(), velocities.end()});
        set(to, place, i);
      }
      FoldedFree<T> one{face(i, place), {}, {}, {}};
      for (std::size_t e = 0; e < 3; ++e)
        one.by_velocities[e] = place(derivative(kernel_.free_faces->velocities[e]));
      one.by_lambda = place(derivative(kernel_.free_faces->lambda));
      one.by_mu = place(derivative(kernel_.free_faces->mu));
      folded_.emplace_back(queue_, std::vector<FoldedFree<T>>{one}, "a free face");
      to.push_back(bind_on_faces(queue_, folded_.back(), one.around()));
    }
  }

private:
  void set(std::vector<Bound>& to, const Place& place, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const FreeFace<T> one = face(i, place);
      set_.emplace_back(queue_, std::vector<FreeFace<T>>{one}, "a free face");
      to.push_back(bind_on_faces(queue_, set_.back(), one.points()));
    }
  }
  [[nodiscard]] FreeFace<T> face(std::size_t i, const Place& place) const {
    return free_face_of<T>(*kernel_.free_faces, setup_, faces_[i][0], faces_[i][1], place);
  }
  [[nodiscard]] int derivative(int array) const {
    return adjoint_.derivatives[static_cast<std::size_t>(array)];
  }

  Queue& queue_;
  const SystemKernel& kernel_;
  const SystemSetup& setup_;
  const SystemAdjoint& adjoint_;
  std::vector<std::array<int, 2>> faces_;
  std::vector<OnDevice<FreeFace<T>>> set_;
  std::vector<OnDevice<FoldedFree<T>>> folded_;
};

} // namespace ridge::chain
