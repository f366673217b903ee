// Bodies under gravity: apart from each other, and relative to an origin that suits them.
#pragma once

#include "spatial/host_bodies.hpp"

namespace ridge::nbody {

using spatial::Bodies;
using spatial::Precision;

/// Throws UsageError, naming the pair, when two bodies are at one place once their positions are
/// rounded to `precision`: without softening the force between them is infinite.
void require_apart(const Bodies& bodies, Precision precision);

/// Moves the frame of reference so that the centre of mass rests at the origin.
void centre(Bodies& bodies);

/// Takes positions relative to the centre of mass, where that is farther from the origin than twice
/// the distance of the farthest body from it: what is rounded to fp32 then are distances within the
/// system. Bodies without mass stay as they are.
void take_origin_inside(Bodies& bodies);

/// True: positions are relative to another origin than that of the coordinates.
[[nodiscard]] bool has_own_origin(const Bodies& bodies);

} // namespace ridge::nbody
