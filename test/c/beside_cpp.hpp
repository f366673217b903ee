// What C++ computes of the arrays that C and Fortran give, for tests that compare bits.
#pragma once

#include <cstdint>

extern "C" {
/// The Laplacian of unit spacing of (nx, ny, nz) points.
void cpp_laplacian(const char* device, const double* u, double* v, std::int64_t nx, std::int64_t ny,
                   std::int64_t nz);
void cpp_laplacian_float(const char* device, const float* u, float* v, std::int64_t nx,
                         std::int64_t ny, std::int64_t nz);
/// The chain c_test::Heat on (nx, rows) points.
void cpp_heat(const char* device, const double* u, double* v, std::int64_t nx, std::int64_t rows);
/// Gravity of bodies among themselves: x, y, z, m one after the other, and as many sums.
void cpp_gravity(const char* device, const double* bodies, double* sums, std::int64_t count);
/// The reproducible sum of so many numbers, a multiple of 8.
double cpp_sum(const char* device, const double* u, std::int64_t count);
}
