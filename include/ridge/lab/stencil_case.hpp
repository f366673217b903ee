// Cases of the stencil pattern.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/stencil_check.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/menu.hpp>

#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace ridge::lab {

/// Relative to the terms of each point.
template <class T>
constexpr double stencil_tolerance = bounded_unit<T>;

/// A kernel on fields that somebody else owns. The output, gaps between its rows included, is
/// overwritten by poison and by what measures the ceiling.
template <class K, class T>
class StencilOnViews : public Case {
public:
  StencilOnViews(std::string name, Queue& queue, const stencil::Call<K, T>& call)
      : name_(std::move(name)), queue_(queue), call_(call) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_, held<stencil::Schedule>(s), name_};
  }
  void poison() override { fill_bytes(queue_, call_.out.data, poison_byte, bytes()); }
  [[nodiscard]] Check check() override {
    return check_stencil(queue_, call_, poison_byte, stencil_tolerance<T>);
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = stencil::work_of(traits_, call_.out.extents);
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(call_.out.data, call_.in[0].data, bytes())};
  }

private:
  static constexpr unsigned char poison_byte = 0xff;
  [[nodiscard]] Bytes bytes() const { return {call_.out.span() * static_cast<Index>(sizeof(T))}; }

  std::string name_;
  Queue& queue_;
  stencil::Traits traits_ = stencil::traits_of<K, T>();
  stencil::Call<K, T> call_;
};

/// Fields of random numbers for a stencil, on a queue of their own, their rows and planes as far
/// apart as the device likes.
template <class T>
struct RandomFields {
  RandomFields(const std::string& name, const stencil::Traits& traits, const BenchRequest& request);
  [[nodiscard]] View<const T> input(std::size_t i) const {
    return {inputs[i].data(), extents, strides.row, strides.plane};
  }
  [[nodiscard]] View<T> output() const { return {out.data(), extents, strides.row, strides.plane}; }

  Queue queue;
  Index3 extents;
  stencil::Strides strides;
  std::vector<Field<T>> inputs;
  Field<T> out;
};

extern template struct RandomFields<float>;
extern template struct RandomFields<double>;

/// A kernel on random fields.
template <class K, class T>
class StencilCase final : private RandomFields<T>, public StencilOnViews<K, T> {
public:
  StencilCase(const std::string& name, const K& kernel, const BenchRequest& request)
      : RandomFields<T>(name, stencil::traits_of<K, T>(), request),
        StencilOnViews<K, T>(name, RandomFields<T>::queue, call_of(kernel)) {}

private:
  [[nodiscard]] stencil::Call<K, T> call_of(const K& kernel) const {
    stencil::Call<K, T> call{kernel, {}, this->output()};
    for (std::size_t i = 0; i < call.in.size(); ++i)
      call.in[i] = this->input(i);
    return call;
  }
};

/// Throws UsageError for a precision the kernel does not have.
[[noreturn]] void refuse_precision(std::string_view precision, std::string_view name,
                                   std::string_view known);

/// What a stencil of so many dimensions is run at where nobody says.
[[nodiscard]] Extents default_stencil_size(int rank);

/// Says which file and flags of the compiler K comes from, for what is compiled on demand.
template <class K>
void know_stencil_source(const std::string& file, const std::string& flags = {}) {
  know_source(typeid(stencil::Call<K, float>), file, flags);
  know_source(typeid(stencil::Call<K, double>), file, flags);
}

/// The case of a kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] std::unique_ptr<Case> stencil_case(const std::string& name, const K& kernel,
                                                 const BenchRequest& request) {
  if (request.precision == "fp64")
    return std::make_unique<StencilCase<K, double>>(name, kernel, request);
  if (request.precision == "fp32")
    return std::make_unique<StencilCase<K, float>>(name, kernel, request);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

} // namespace ridge::lab
