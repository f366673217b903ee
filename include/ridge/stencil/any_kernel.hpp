// Stencil kernels with their types put away. There are hundreds of kernels: what is compiled for
// each is here, and whoever runs, checks or divides any of them is compiled once for each
// precision.
#pragma once

#include <ridge/core/made.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/reference.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace ridge::stencil {

/// The inputs of one application, as many as the kernel has.
template <class T>
using Inputs = std::span<const View<const T>>;

/// A kernel on fields of T.
template <class T>
class AnyKernel {
public:
  AnyKernel(Traits traits, int levels) : traits_(std::move(traits)), levels_(levels) {}
  AnyKernel(const AnyKernel&) = delete;
  AnyKernel& operator=(const AnyKernel&) = delete;
  virtual ~AnyKernel() = default;

  [[nodiscard]] const Traits& traits() const { return traits_; }
  [[nodiscard]] int levels() const { return levels_; } ///< of time, the first inputs
  /// Binds one application; under the default schedule where none is given. Throws as Program does.
  [[nodiscard]] virtual Program bind(Queue& queue, Inputs<T> in, const View<T>& out,
                                     const Schedule* schedule, std::string_view name) const = 0;

private:
  Traits traits_;
  int levels_;
};

/// A pass without its kernel; see Pass.
template <class T>
struct AnyPass {
  std::vector<View<const T>> in;
  std::vector<View<T>> out; ///< one a time level
  Shell<T> shell;
  std::array<bool, 3> periodic{};
  int sweeps = 2;
  PassNeighbours neighbours = {};
};

/// One that many sweeps are made of.
template <class T>
class SweptKernel : public AnyKernel<T> {
public:
  using AnyKernel<T>::AnyKernel;
  [[nodiscard]] virtual Program bind_pass(Queue& queue, const AnyPass<T>& pass,
                                          const PassSchedule& schedule,
                                          std::string_view name) const = 0;
};

/// One whose launches are compared with the reference.
template <class T>
class CheckedKernel : public AnyKernel<T> {
public:
  using AnyKernel<T>::AnyKernel;
  [[nodiscard]] virtual const std::type_info& call_type() const = 0;
  /// The bytes of the functor, of the type that the call's names.
  [[nodiscard]] virtual std::span<const std::byte> functor() const = 0;
  /// The kernel's results at points x0 to x1 of a row.
  virtual void reference_row(Inputs<T> in, Index y, Index z, Index x0, Index x1,
                             double* values) const = 0;
  /// As stencil::bound_at.
  [[nodiscard]] virtual double bound_at(Inputs<T> in, Index x, Index y, Index z) const = 0;
};

namespace detail {

template <class K, class T>
[[nodiscard]] Program bind_call(Queue& queue, const K& kernel, Inputs<T> in, const View<T>& out,
                                const Schedule* schedule, std::string_view name) {
  Call<K, T> call{kernel, {}, out};
  std::copy(in.begin(), in.end(), call.in.begin());
  return {queue, call,
          schedule != nullptr ? *schedule
                              : Pattern<Call<K, T>>::default_schedule(queue.device(), call),
          name};
}

template <class K, class T>
class SweptOf final : public SweptKernel<T> {
public:
  explicit SweptOf(const K& kernel)
      : SweptKernel<T>(traits_of<K, T>(), levels_of<K>()), kernel_(kernel) {}
  static_assert(levels_of<K>() >= 1 && levels_of<K>() <= inputs_of<K>,
                "each time level is an input");

  Program bind(Queue& queue, Inputs<T> in, const View<T>& out, const Schedule* schedule,
               std::string_view name) const override {
    return bind_call(queue, kernel_, in, out, schedule, name);
  }
  Program bind_pass(Queue& queue, const AnyPass<T>& any, const PassSchedule& schedule,
                    std::string_view name) const override {
    Pass<K, T> pass{kernel_, {}, {}, any.shell, {}, any.sweeps};
    std::copy(any.in.begin(), any.in.end(), pass.in.begin());
    std::copy(any.out.begin(), any.out.end(), pass.out.begin());
    std::copy(any.periodic.begin(), any.periodic.end(), pass.periodic);
    pass.neighbours = any.neighbours;
    return {queue, pass, schedule, name};
  }

private:
  K kernel_;
};

template <class K, class T>
class CheckedOf final : public CheckedKernel<T> {
public:
  explicit CheckedOf(const K& kernel)
      : CheckedKernel<T>(traits_of<K, T>(), levels_of<K>()), kernel_(kernel) {}

  Program bind(Queue& queue, Inputs<T> in, const View<T>& out, const Schedule* schedule,
               std::string_view name) const override {
    return bind_call(queue, kernel_, in, out, schedule, name);
  }
  [[nodiscard]] const std::type_info& call_type() const override { return typeid(Call<K, T>); }
  [[nodiscard]] std::span<const std::byte> functor() const override {
    return std::as_bytes(std::span(&kernel_, 1));
  }
  void reference_row(Inputs<T> in, Index y, Index z, Index x0, Index x1,
                     double* values) const override {
    const auto views = of(in);
    for (Index x = x0; x < x1; ++x)
      *values++ = reference_at(kernel_, views, x, y, z);
  }
  [[nodiscard]] double bound_at(Inputs<T> in, Index x, Index y, Index z) const override {
    return stencil::bound_at(kernel_, of(in), x, y, z);
  }

private:
  static std::array<View<const T>, inputs_of<K>> of(Inputs<T> in) {
    std::array<View<const T>, inputs_of<K>> views;
    std::copy(in.begin(), in.end(), views.begin());
    return views;
  }
  K kernel_;
};

} // namespace detail

template <class T, class K>
[[nodiscard]] std::shared_ptr<const SweptKernel<T>> swept(const K& kernel) {
  return shared_as<detail::SweptOf<K, T>, const SweptKernel<T>>(kernel);
}
template <class T, class K>
[[nodiscard]] std::shared_ptr<const CheckedKernel<T>> checked(const K& kernel) {
  return shared_as<detail::CheckedOf<K, T>, const CheckedKernel<T>>(kernel);
}

} // namespace ridge::stencil
