#include "plain.hpp"

#include <algorithm>
#include <cmath>

namespace plain {

namespace {

constexpr double length = 20000, height = 10000, g = 9.8, cp = 1004, cv = 717, rd = 287, p0 = 1e5;
constexpr double c0 = 27.5629410929725921310572974482;
constexpr double gamma_air = 1.40027894002789400278940027894;
const double pi = std::acos(-1.0);

double bell(double x, double z, double amplitude, double x0, double z0, double rx, double rz) {
  const double s = std::sqrt((x - x0) / rx * ((x - x0) / rx) + (z - z0) / rz * ((z - z0) / rz));
  if (s > 1) return 0;
  const double c = std::cos(pi * s / 2);
  return amplitude * c * c;
}

double perturbation(const std::string& which, double x, double z) {
  if (which == "thermal") return bell(x, z, 3, length / 2, 2000, 2000, 2000);
  if (which == "collision") {
    return bell(x, z, 20, length / 2, 2000, 2000, 2000) +
           bell(x, z, -20, length / 2, 8000, 2000, 2000);
  }
  if (which == "density-current") return bell(x, z, -20, length / 2, 5000, 4000, 2000);
  return 0;
}

} // namespace

Atmosphere::Atmosphere(const std::string& which, int nx, int nz)
    : which_(which), nx_(nx), nz_(nz), dx_(length / nx), dz_(height / nz),
      dt_(std::min(dx_, dz_) / 450 * 1.5) {
  const auto cells = static_cast<std::size_t>(nx + 4) * static_cast<std::size_t>(nz + 4) * 4;
  for (Array* a : {&state_, &other_, &flux_, &tendency_})
    a->assign(cells, 0.0);
  for (int k = -2; k < nz + 2; ++k) {
    double density = 0;
    double heat = 0;
    background((k + 0.5) * dz_, density, heat);
    density_.push_back(density);
    heat_.push_back(heat);
  }
  for (int k = 0; k <= nz; ++k) {
    double density = 0;
    double heat = 0;
    background(k * dz_, density, heat);
    face_density_.push_back(density);
    face_heat_.push_back(heat);
    face_pressure_.push_back(c0 * std::pow(heat, gamma_air));
  }
  const double offset[3] = {-std::sqrt(15.0) / 10, 0, std::sqrt(15.0) / 10};
  const double weight[3] = {5.0 / 18, 4.0 / 9, 5.0 / 18};
  for (int k = 0; k < nz; ++k) {
    for (int i = 0; i < nx; ++i) {
      for (int b = 0; b < 3; ++b) {
        for (int a = 0; a < 3; ++a) {
          const double x = (i + 0.5 + offset[a]) * dx_;
          const double z = (k + 0.5 + offset[b]) * dz_;
          double density = 0;
          double heat = 0;
          background(z, density, heat);
          const double theta = heat / density;
          const double w = weight[a] * weight[b];
          state_[index(1, i, k)] += w * density * (which == "gravity-waves" ? 15.0 : 0.0);
          state_[index(3, i, k)] += w * (density * (perturbation(which, x, z) + theta) - heat);
        }
      }
    }
  }
}

void Atmosphere::background(double z, double& density, double& heat) const {
  double theta = 300;
  double exner = 1 - g * z / (cp * 300);
  if (which_ == "gravity-waves") {
    const double n2 = 0.02 * 0.02;
    theta = 300 * std::exp(n2 * z / g);
    exner = 1 - g * g / (cp * n2) * (theta - 300) / (300 * theta);
  }
  heat = std::pow(p0 * std::pow(exner, cp / rd) / c0, 1 / gamma_air);
  density = heat / theta;
}

void Atmosphere::run_until(double end) {
  while (time_ < end) {
    const double dt = std::min(dt_, end - time_);
    step(dt);
  }
}

void Atmosphere::step(double dt) {
  for (const bool along_x : {x_first_, !x_first_}) {
    stage(state_, state_, other_, dt / 3, along_x);
    stage(state_, other_, other_, dt / 2, along_x);
    stage(state_, other_, state_, dt, along_x);
  }
  x_first_ = !x_first_;
  time_ += dt;
  ++steps_;
}

void Atmosphere::stage(const Array& begin, Array& forcing, Array& out, double dt, bool along_x) {
  if (along_x) {
    halo_x(forcing);
    tendencies_x(forcing, dt);
  } else {
    halo_z(forcing);
    tendencies_z(forcing, dt);
  }
  if (which_ == "gravity-waves") {
    for (int k = 0; k < nz_; ++k) {
      for (int i = 0; i < nx_; ++i) {
        tendency_[index(2, i, k)] +=
            density_[static_cast<std::size_t>(k + 2)] *
            bell((i + 0.5) * dx_, (k + 0.5) * dz_, 0.01, 2500, 1000, 500, 500);
      }
    }
  }
  for (int v = 0; v < 4; ++v) {
    for (int k = 0; k < nz_; ++k) {
      for (int i = 0; i < nx_; ++i)
        out[index(v, i, k)] = begin[index(v, i, k)] + dt * tendency_[index(v, i, k)];
    }
  }
}

void Atmosphere::halo_x(Array& q) const {
  for (int v = 0; v < 4; ++v) {
    for (int k = 0; k < nz_; ++k) {
      for (const int h : {0, 1}) {
        q[index(v, h - 2, k)] = q[index(v, nx_ - 2 + h, k)];
        q[index(v, nx_ + h, k)] = q[index(v, h, k)];
      }
    }
  }
  if (which_ != "injection") return;
  for (int k = 0; k < nz_; ++k) {
    if (std::abs((k + 0.5) * dz_ - 7500) > 625) continue;
    const double rest = density_[static_cast<std::size_t>(k + 2)];
    for (const int i : {-2, -1}) {
      q[index(1, i, k)] = (q[index(0, i, k)] + rest) * 50;
      q[index(3, i, k)] = (q[index(0, i, k)] + rest) * 298 - heat_[static_cast<std::size_t>(k + 2)];
    }
  }
}

void Atmosphere::halo_z(Array& q) const {
  for (const int h : {1, 2}) {
    for (int i = 0; i < nx_; ++i) {
      const int low = -h;
      const int high = nz_ - 1 + h;
      for (const int v : {0, 3}) {
        q[index(v, i, low)] = q[index(v, i, 0)];
        q[index(v, i, high)] = q[index(v, i, nz_ - 1)];
      }
      q[index(2, i, low)] = q[index(2, i, high)] = 0;
      const auto rest = [&](int k) { return density_[static_cast<std::size_t>(k + 2)]; };
      q[index(1, i, low)] = q[index(1, i, 0)] / rest(0) * rest(low);
      q[index(1, i, high)] = q[index(1, i, nz_ - 1)] / rest(nz_ - 1) * rest(high);
    }
  }
}

void Atmosphere::tendencies_x(const Array& q, double dt) {
  const double h = -0.05 * dx_ / (16 * dt);
  for (int k = 0; k < nz_; ++k) {
    for (int i = 0; i <= nx_; ++i) {
      double value[4];
      double third[4];
      for (int v = 0; v < 4; ++v) {
        const double a = q[index(v, i - 2, k)], b = q[index(v, i - 1, k)], c = q[index(v, i, k)],
                     d = q[index(v, i + 1, k)];
        value[v] = (-a + 7 * b + 7 * c - d) / 12;
        third[v] = -a + 3 * b - 3 * c + d;
      }
      const double r = value[0] + density_[static_cast<std::size_t>(k + 2)];
      const double u = value[1] / r;
      const double w = value[2] / r;
      const double t = (value[3] + heat_[static_cast<std::size_t>(k + 2)]) / r;
      const double p = c0 * std::pow(r * t, gamma_air);
      flux_[index(0, i, k)] = r * u - h * third[0];
      flux_[index(1, i, k)] = r * u * u + p - h * third[1];
      flux_[index(2, i, k)] = r * u * w - h * third[2];
      flux_[index(3, i, k)] = r * u * t - h * third[3];
    }
  }
  for (int v = 0; v < 4; ++v) {
    for (int k = 0; k < nz_; ++k) {
      for (int i = 0; i < nx_; ++i)
        tendency_[index(v, i, k)] = -(flux_[index(v, i + 1, k)] - flux_[index(v, i, k)]) / dx_;
    }
  }
}

void Atmosphere::tendencies_z(const Array& q, double dt) {
  const double h = -0.05 * dz_ / (16 * dt);
  for (int k = 0; k <= nz_; ++k) {
    for (int i = 0; i < nx_; ++i) {
      double value[4];
      double third[4];
      for (int v = 0; v < 4; ++v) {
        const double a = q[index(v, i, k - 2)], b = q[index(v, i, k - 1)], c = q[index(v, i, k)],
                     d = q[index(v, i, k + 1)];
        value[v] = (-a + 7 * b + 7 * c - d) / 12;
        third[v] = -a + 3 * b - 3 * c + d;
      }
      const auto face = static_cast<std::size_t>(k);
      const double r = value[0] + face_density_[face];
      const double u = value[1] / r;
      double w = value[2] / r;
      const double t = (value[3] + face_heat_[face]) / r;
      const double p = c0 * std::pow(r * t, gamma_air) - face_pressure_[face];
      if (k == 0 || k == nz_) {
        w = 0;
        third[0] = 0;
      }
      flux_[index(0, i, k)] = r * w - h * third[0];
      flux_[index(1, i, k)] = r * w * u - h * third[1];
      flux_[index(2, i, k)] = r * w * w + p - h * third[2];
      flux_[index(3, i, k)] = r * w * t - h * third[3];
    }
  }
  for (int v = 0; v < 4; ++v) {
    for (int k = 0; k < nz_; ++k) {
      for (int i = 0; i < nx_; ++i) {
        tendency_[index(v, i, k)] = -(flux_[index(v, i, k + 1)] - flux_[index(v, i, k)]) / dz_;
        if (v == 2) tendency_[index(v, i, k)] -= g * q[index(0, i, k)];
      }
    }
  }
}

double Atmosphere::mass() const {
  double sum = 0;
  for (int k = 0; k < nz_; ++k) {
    double row = 0;
    for (int i = 0; i < nx_; ++i)
      row += at(0, i, k) + density_[static_cast<std::size_t>(k + 2)];
    sum += row * dx_ * dz_;
  }
  return sum;
}

double Atmosphere::energy() const {
  double sum = 0;
  for (int k = 0; k < nz_; ++k) {
    double row = 0;
    for (int i = 0; i < nx_; ++i) {
      const double r = at(0, i, k) + density_[static_cast<std::size_t>(k + 2)];
      const double u = at(1, i, k) / r;
      const double w = at(2, i, k) / r;
      const double heat = at(3, i, k) + heat_[static_cast<std::size_t>(k + 2)];
      const double p = c0 * std::pow(heat, gamma_air);
      const double t = heat / r / std::pow(p0 / p, rd / cp);
      row += r * (u * u + w * w) + r * cv * t;
    }
    sum += row * dx_ * dz_;
  }
  return sum;
}

} // namespace plain
