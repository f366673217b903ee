// Samples of a run of molecular dynamics, in its snapshots and in its record.
//
// A snapshot has radial_counts, bodies in each shell around a body, of all bodies and samples;
// radial_distance, the middle of each shell, and radial_distribution, g(r); sample_time since an
// origin, sample_origins, how many, mean_squared_displacement and velocity_autocorrelation;
// position_at_origin and velocity_at_origin of N x 3 values. Attributes: radial_samples,
// origin_step, heat.
#pragma once

#include "../src/state.hpp"
#include "io/hdf5_writing.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace ridge::app {

void write_samples(const io::Writing& out, const md::Parameters& parameters,
                   const md::State& state);

/// Reads those of the snapshot `group`, at `place`. Throws UsageError where something is missing.
void read_samples(const std::string& place, const io::Handle& group,
                  const md::Parameters& parameters, md::State& state);

/// Adds "radial_distribution" and "diffusion" to a record's "md".
void add_samples(nlohmann::ordered_json& record, const md::Parameters& parameters,
                 const md::State& state);

/// Lines that tell of them; empty where nothing is sampled.
[[nodiscard]] std::string samples_text(const md::Parameters& parameters, const md::State& state);

} // namespace ridge::app
