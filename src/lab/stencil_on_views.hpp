// The case of a stencil on fields that somebody else holds.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include <type_traits>

namespace ridge::lab {

template <class T>
class StencilOnViews : public Case {
public:
  using Kernel = std::shared_ptr<const stencil::CheckedKernel<T>>;

  StencilOnViews(std::string name, Queue& queue, Kernel kernel, std::vector<View<const T>> in,
                 const View<T>& out)
      : name_(std::move(name)), queue_(queue), kernel_(std::move(kernel)), in_(std::move(in)),
        out_(out) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    const Index3 n = out_.extents;
    return {&kernel_->call_type(), name_, precision_name<T>(), Extents{n.x, n.y, n.z}};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return stencil::menu(kernel_->traits(), out_.extents, place, stencil::Strides::of(out_));
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    const auto schedule = held<stencil::Schedule>(s);
    return kernel_->bind(queue_, in_, out_, &schedule, name_);
  }
  void poison() override { fill_bytes(queue_, out_.data, poison_byte, bytes()); }
  [[nodiscard]] Check check() override {
    using Number = std::conditional_t<is_stored<T>, float, T>;
    return check_stencil<T>(queue_, *kernel_, in_, out_, poison_byte, bounded_unit<Number>);
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = stencil::work_of(kernel_->traits(), out_.extents);
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(out_.data, in_[0].data, bytes())};
  }

  /// The same kernel on packed fields of S, or of halves of fp32 as Stored<K, wide> has them.
  template <class S>
  [[nodiscard]] std::unique_ptr<Case> stored(const std::vector<const void*>& in, void* out,
                                             unsigned wide) const {
    const Index3 n = out_.extents;
    std::vector<View<const S>> views;
    for (const void* const field : in)
      views.emplace_back(static_cast<const S*>(field), n);
    return stencil_on_views<S>(name_, queue_,
                               stencil::stored_kernel<S>(*kernel_, lab_library(), wide),
                               std::move(views), View<S>(static_cast<S*>(out), n));
  }
  /// And on the arrays of a call.
  template <class S>
  [[nodiscard]] std::unique_ptr<Case> stored(const Arguments& arguments) const {
    return stencil_on_arrays<S>(queue_, stencil::stored_kernel<S>(*kernel_, lab_library()),
                                arguments);
  }
  [[nodiscard]] const stencil::Traits& traits() const { return kernel_->traits(); }

protected:
  static constexpr unsigned char poison_byte = 0xff;
  [[nodiscard]] Bytes bytes() const { return {out_.span() * static_cast<Index>(sizeof(T))}; }

  std::string name_;
  Queue& queue_;
  Kernel kernel_;
  std::vector<View<const T>> in_;
  View<T> out_;
};

} // namespace ridge::lab
