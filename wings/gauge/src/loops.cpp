// Wilson and Polyakov loops.
#include <ridge/gauge/loops.hpp>
#include <ridge/lattice/launch.hpp>

#include "core/refuse.hpp"

#include <algorithm>
#include <optional>

namespace ridge::gauge {

namespace {

using Link = lattice::ColourMatrix<double>;
using Numbers = lattice::Field<lattice::Complex<double>>;

/// Products of 1, 2, ... links along mu.
LinkField<double> longer(Queue& queue, const LinkField<double>& link, const LinkField<double>& line,
                         int mu) {
  LinkField<double> out(queue.device(), link.lattice(), "a line of links");
  const ExtendLine kernel{link.view(), line.view(), out.view(), mu};
  run_once(queue,
           lattice::SiteLoopCall<Link, ExtendLine>{out.view(), kernel, lattice::Subset::all});
  queue.wait(); // the shorter line's memory may go
  return out;
}

/// The mean over sites of a third of the trace.
lattice::Complex<double> mean_of(Queue& queue, const Numbers& out, const LoopTrace& kernel) {
  run_once(queue, lattice::SiteLoopCall<lattice::Complex<double>, LoopTrace>{out.view(), kernel,
                                                                             lattice::Subset::all});
  const auto sum = lattice::sum(queue, out, {.schedule = {}, .reproducible = true});
  const double by = 1 / (3 * static_cast<double>(out.lattice().sites()));
  return {by * sum.re, by * sum.im};
}

} // namespace

std::vector<WilsonLoop> wilson_loops(Queue& queue, const Links<double>& links, int r, int t,
                                     const std::function<void()>& given) {
  const std::function<void()> between = given ? given : [] {};
  const Extents& n = links.front().lattice().extents();
  const Index most = std::min({n[0], n[1], n[2]});
  refuse_if(r < 1 || t < 1 || r > most || t > n[3],
            "Wilson loops of {} by {} links: expected 1 to {} by 1 to {} on {}", r, t, most, n[3],
            to_text(n));
  const Numbers out(queue.device(), links.front().lattice(), "loops");
  std::vector<WilsonLoop> all;
  for (int j = 1; j <= t; ++j) {
    for (int i = 1; i <= r; ++i)
      all.push_back({i, j, 0});
  }
  std::vector<LinkField<double>> up; // of 2, 3, ... links
  const auto times = [&](int links_up) -> const LinkField<double>& {
    return links_up == 1 ? links[3] : up[static_cast<std::size_t>(links_up - 2)];
  };
  for (int j = 2; j <= t; ++j) {
    up.push_back(longer(queue, links[3], times(j - 1), 3));
    between();
  }
  for (int mu = 0; mu < 3; ++mu) {
    const LinkField<double>& link = links[static_cast<std::size_t>(mu)];
    std::optional<LinkField<double>> across;
    for (int i = 1; i <= r; ++i) {
      if (i > 1) across = longer(queue, link, i == 2 ? link : *across, mu);
      const LinkField<double>& line = i == 1 ? link : *across;
      for (int j = 1; j <= t; ++j) {
        all[static_cast<std::size_t>((j - 1) * r + i - 1)].value +=
            mean_of(queue, out, {line.view(), times(j).view(), out.view(), mu, 3, i, j}).re / 3;
        between();
      }
    }
  }
  return all;
}

lattice::Complex<double> polyakov_loop(Queue& queue, const Links<double>& links) {
  const LinkField<double>& link = links[3];
  const Numbers out(queue.device(), link.lattice(), "loops");
  LinkField<double> line = longer(queue, link, link, 3);
  const Index n = link.lattice().extents()[3];
  for (Index i = 2; i < n; ++i)
    line = longer(queue, link, line, 3);
  const auto& all = n == 1 ? link : line;
  return mean_of(queue, out, {all.view(), all.view(), out.view(), 0, 3, 0, 0});
}

} // namespace ridge::gauge
