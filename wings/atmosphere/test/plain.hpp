// The mini-atmosphere as a plain sequential program: the oracle of the chains, and what they are
// timed against. Arrays with halos, one loop after the other, all in double.
#pragma once

#include <string>
#include <vector>

namespace plain {

/// Case names as `ridge atmosphere` has them.
class Atmosphere {
public:
  Atmosphere(const std::string& which, int nx, int nz);

  /// Runs until `end`, the last step shortened.
  void run_until(double end);
  void step(double dt);
  [[nodiscard]] double stable_step() const { return dt_; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] int steps() const { return steps_; }

  /// Variable v (density, x momentum, z momentum, heat) of cell (i, k).
  [[nodiscard]] double at(int v, int i, int k) const { return state_[index(v, i, k)]; }
  [[nodiscard]] double mass() const;
  [[nodiscard]] double energy() const;

private:
  using Array = std::vector<double>;
  [[nodiscard]] std::size_t index(int v, int i, int k) const {
    return (static_cast<std::size_t>(v) * static_cast<std::size_t>(nz_ + 4) +
            static_cast<std::size_t>(k + 2)) *
               static_cast<std::size_t>(nx_ + 4) +
           static_cast<std::size_t>(i + 2);
  }
  void background(double z, double& density, double& heat) const;
  void stage(const Array& begin, Array& forcing, Array& out, double dt, bool along_x);
  void halo_x(Array& q) const;
  void halo_z(Array& q) const;
  void tendencies_x(const Array& q, double dt);
  void tendencies_z(const Array& q, double dt);

  std::string which_;
  int nx_, nz_;
  double dx_, dz_, dt_, time_ = 0;
  int steps_ = 0;
  bool x_first_ = true;
  Array state_, other_, flux_, tendency_;
  Array density_, heat_;                           // with two halo cells at either end
  Array face_density_, face_heat_, face_pressure_; // nz + 1
};

} // namespace plain
