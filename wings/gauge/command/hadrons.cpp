// Smeared sources and sinks, and correlators of hadrons.
#include "hadrons.hpp"

#include <ridge/core/error.hpp>
#include <ridge/gauge/host_links.hpp>

#include "app/number_list.hpp"
#include "core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ridge::app {

namespace {

gauge::GaussianOptions parse_smearing(const char* option, const std::string& text) {
  if (text.empty()) return {};
  const std::vector<double> all = numbers_of<double>(text);
  constexpr double most = 10000;
  const bool sound = all.size() == 2 && all[0] >= 0 && all[0] <= most &&
                     all[0] == std::floor(all[0]) && all[1] >= 0 && std::isfinite(all[1]);
  refuse_if(!sound, "{} {}: expected N,ALPHA: 0 to {} steps, and a number of at least 0", option,
            text, most);
  return {static_cast<int>(all[0]), all[1]};
}

gauge::SmearOptions parse_link_smearing(const std::string& text) {
  const bool stout = text.starts_with("stout:");
  std::vector<double> all;
  if (stout || text.starts_with("ape:"))
    all = numbers_of<double>(std::string_view(text).substr(text.find(':') + 1));
  const bool sound = all.size() == 2 && std::isfinite(all[0]) && all[1] >= 0 && all[1] <= 10000 &&
                     all[1] == std::floor(all[1]) && (stout || (all[0] >= 0 && all[0] <= 1));
  refuse_if(!sound, "--smear-links {}: expected stout:RHO,N or ape:ALPHA,N, ALPHA from 0 to 1",
            text);
  return {stout, all[0], static_cast<int>(all[1]), true};
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double v : values)
    text += fmt::format("{}{:.15g}", text.empty() ? "" : " ", v);
  return text;
}

/// Columns of the table on the terminal beside the pion's.
constexpr const char* shown[] = {"vector", "scalar", "axial", "nucleon", "nucleon_negative"};

} // namespace

void Hadrons::add_options(const Command& command) {
  command.add({
      {"--source-smear", &source_text_,
       "N,ALPHA: N steps of Gaussian smearing of the source, in space"},
      {"--sink-smear", &sink_text_,
       "N,ALPHA: of the sink, for correlators; the file has the propagator without"},
      {"--smear-links", &links_text_,
       "stout:RHO,N or ape:ALPHA,N: the links that both smear by, smeared in space; as they are if "
       "not given"},
      {"--no-hadrons", &none_, "no correlators but the pion's: columns need not be kept"},
  });
}

void Hadrons::check(bool shifted) {
  source_ = parse_smearing("--source-smear", source_text_);
  sink_ = parse_smearing("--sink-smear", sink_text_);
  if (!links_text_.empty()) link_smearing_ = parse_link_smearing(links_text_);
  refuse_if(shifted && (source_.steps > 0 || sink_.steps > 0),
            "--source-smear and --sink-smear are for propagators, not for --shifts");
  refuse_if(!links_text_.empty() && source_.steps == 0 && sink_.steps == 0,
            "--smear-links is for --source-smear and --sink-smear");
  none_ = none_ || shifted;
}

void Hadrons::prepare(Queue& queue, const Extents& extents, const gauge::HostLinks& links) {
  extents_ = extents;
  if (source_.steps == 0 && sink_.steps == 0) return;
  gauge::Links<double> fields = gauge::to_device(queue, gauge::Lattice(extents), links);
  gauge::smear(queue, fields, link_smearing_);
  smearing_ = std::make_unique<gauge::GaussianSmearing>(queue, std::move(fields));
}

void Hadrons::smear_source(io::Column& b) const {
  if (source_.steps > 0) (*smearing_)(b, source_);
}

void Hadrons::smear_sink(io::Column& x) const {
  if (sink_.steps > 0) (*smearing_)(x, sink_);
}

void Hadrons::take(int column, std::shared_ptr<const io::Column> x, const io::Column* midpoint) {
  if (midpoint != nullptr && sink_.steps == 0) {
    midpoint_.resize(static_cast<std::size_t>(extents_[3]));
    const std::size_t slice = midpoint->size() / midpoint_.size();
    for (std::size_t i = 0; i < midpoint->size(); ++i) {
      for (int c = 0; c < io::propagator_columns; ++c) {
        const auto& z = component((*midpoint)[i], c);
        midpoint_[i / slice] += z.re * z.re + z.im * z.im;
      }
    }
  }
  if (none_) return;
  columns_.resize(io::propagator_columns);
  columns_[static_cast<std::size_t>(column)] = std::move(x);
}

void Hadrons::contract(Index source_time, bool antiperiodic) {
  gauge::PropagatorColumns all;
  if (columns_.size() != all.size()) return;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (columns_[c] == nullptr) return;
    all[c] = columns_[c]->data();
  }
  correlators_ = gauge::hadron_correlators(extents_, all, source_time, antiperiodic);
  columns_.clear();
  if (midpoint_.empty()) return;
  std::rotate(midpoint_.begin(), midpoint_.begin() + source_time, midpoint_.end());
  correlators_.push_back({"midpoint", midpoint_});
}

std::vector<io::PropagatorNumber> Hadrons::numbers() const {
  std::vector<io::PropagatorNumber> all;
  const auto add = [&](const char* steps, const char* weight, double n, double w) {
    if (n > 0) all.insert(all.end(), {{steps, n}, {weight, w}});
  };
  add("source_smear_steps", "source_smear_alpha", source_.steps, source_.alpha);
  add("sink_smear_steps", "sink_smear_alpha", sink_.steps, sink_.alpha);
  add(link_smearing_.stout ? "stout_steps" : "ape_steps",
      link_smearing_.stout ? "stout_rho" : "ape_alpha", link_smearing_.steps,
      link_smearing_.weight);
  return all;
}

const std::vector<double>* Hadrons::find(const char* name) const {
  for (const gauge::Correlator& c : correlators_)
    if (c.name == name) return &c.values;
  return nullptr;
}

std::optional<double> Hadrons::residual_mass() const {
  const auto *const middle = find("midpoint"), *const pion = find("pseudoscalar");
  if (middle == nullptr || pion == nullptr) return {};
  double sum = 0;
  int count = 0;
  for (std::size_t t = pion->size() / 4; t <= 3 * pion->size() / 4 && t < pion->size();
       ++t, ++count)
    sum += (*middle)[t] / (*pion)[t];
  return sum / count;
}

std::vector<Detail> Hadrons::details() const {
  std::vector<Detail> all;
  for (const gauge::Correlator& c : correlators_)
    all.push_back({"correlator_" + c.name, 0, listed(c.values)});
  if (const auto mass = residual_mass()) all.push_back({"residual_mass", *mass, {}});
  return all;
}

std::string Hadrons::text() const {
  if (correlators_.empty()) return {};
  std::string lines = fmt::format("{:>5}", "t");
  for (const char* name : shown)
    lines += fmt::format(" {:>18}", name);
  for (std::size_t t = 0; t < correlators_.front().values.size(); ++t) {
    lines += fmt::format("\n{:>5}", t);
    for (const char* name : shown)
      lines += fmt::format(" {:>18.10e}", (*find(name))[t]);
  }
  lines += '\n';
  if (const auto mass = residual_mass())
    lines +=
        fmt::format("residual mass {:.6g}, the mean over the middle half of all times\n", *mass);
  return lines;
}

} // namespace ridge::app
