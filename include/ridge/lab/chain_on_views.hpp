// Cases of any chain on arrays that somebody else owns.
#pragma once

#include <ridge/chain/menu.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/chain_check.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ridge::lab {

/// A chain of inputs, temporaries and outputs, of which the last array is one.
template <class C, class T>
class ChainOnViews : public Case {
public:
  ChainOnViews(std::string name, Queue& queue, const chain::Request<C, T>& request)
      : name_(std::move(name)), queue_(queue), request_(request) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(request_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(request_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, request_, held<chain::Schedule>(s), name_};
  }
  void poison() override {
    for (std::size_t i = 0; i < C::arrays.size(); ++i) {
      if (C::arrays[i].role != chain::Role::output) continue;
      const View<T>& view = request_.views.all()[i];
      fill_bytes(queue_, view.data, chain_poison, {view.span() * static_cast<Index>(sizeof(T))});
    }
  }
  [[nodiscard]] Check check() override { return check_chain(queue_, request_); }
  [[nodiscard]] Limit limit() const override {
    const Work work = chain::work_of(description_, request_.extents);
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(out().data, request_.views.all()[0].data, bytes())};
  }

protected:
  [[nodiscard]] const View<T>& out() const { return request_.views.all().back(); }
  [[nodiscard]] Bytes bytes() const {
    const Index elements =
        (request_.extents.instances() - 1) * instance_elements<C>(out()) + out().span();
    return {elements * static_cast<Index>(sizeof(T))};
  }

  std::string name_;
  Queue& queue_;
  chain::Description description_ = chain::describe<C, T>();
  chain::Request<C, T> request_;
};

} // namespace ridge::lab
