// Maps of whole fields that need no site types: z = a x and z = a x + y, number by number.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lattice/cpu_schedule.hpp>
#include <ridge/lattice/gpu_schedule.hpp>
#include <ridge/lattice/layout.hpp>

namespace ridge::lattice {

enum class Map { scale, axpy };

/// Fields of one lattice and one shape, as flat memory; z may be x or y.
template <class T>
struct MapCall {
  Map what = Map::axpy;
  Geometry geometry;
  Span<const T> x, y;
  Span<T> z;
  T a = 0;
};

/// GPUs, real and emulated.
template <class T, class Target>
struct Mapper {
  using Schedule = GpuSchedule;
  static void run(Queue& queue, const MapCall<T>& call, const GpuSchedule& schedule);
};

/// The cpu.
template <class T>
struct Mapper<T, target::Cpu> {
  using Schedule = CpuSchedule;
  static void run(Queue& queue, const MapCall<T>& call, const CpuSchedule& schedule);
};

} // namespace ridge::lattice
