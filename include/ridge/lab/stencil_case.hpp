// Cases of the stencil pattern.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/stencil_check.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/tune/stencil.hpp>

#include <limits>
#include <string>
#include <vector>

namespace ridge::lab {

/// Rounding of a few dozen operations, relative to the largest value of the result.
template <class T>
constexpr double stencil_tolerance = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// Schedules of a stencil that `asked` means, as text.
[[nodiscard]] std::vector<AskedSchedule> stencil_schedules(const std::string& asked,
                                                           const Device& device,
                                                           const stencil::Traits& traits,
                                                           Index3 extents);

/// A kernel on random fields.
template <class K, class T>
class StencilCase final : public Case {
public:
  StencilCase(std::string name, const K& kernel, const BenchRequest& request)
      : name_(std::move(name)), queue_(request.device), size_(request.size),
        traits_(stencil::traits_of<K, T>()), call_{kernel, {}, {}} {
    for (int i = 0; i < traits_.inputs(); ++i) {
      inputs_.emplace_back(request.device, size_, "input " + std::to_string(i) + " of " + name_);
      fill_random(queue_, inputs_.back().elements(), static_cast<std::uint64_t>(i) + 1);
      call_.in[i] = View<const T>(inputs_.back().view());
    }
    out_ = Field<T>(request.device, size_, "the output of " + name_);
    call_.out = out_.view();
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] tune::Subject subject() const override {
    return tune::Space<stencil::Call<K, T>>::subject(call_, name_);
  }
  [[nodiscard]] std::optional<double> cost(const std::string& schedule,
                                           const Extents& size) const override {
    return tune::stencil_cost(queue_.device(), traits_, schedule, size);
  }
  [[nodiscard]] std::vector<AskedSchedule> schedules(const std::string& asked) const override {
    return stencil_schedules(asked, queue_.device(), traits_, size_.xyz());
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_,
            stencil::parse_schedule(s.text, queue_.device(), traits_, size_.xyz()).schedule, name_};
  }
  void poison() override { fill_bytes(queue_, out_.data(), poison_byte, bytes()); }
  [[nodiscard]] Check check() override {
    return check_stencil(queue_, call_, poison_byte, stencil_tolerance<T>);
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = stencil::work_of(traits_, size_.xyz());
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            RoofMemory{MemoryRoof::Kind::copy, bytes(), out_.data(), inputs_[0].data()}};
  }

private:
  static constexpr unsigned char poison_byte = 0xff;
  [[nodiscard]] Bytes bytes() const { return {size_.count() * static_cast<Index>(sizeof(T))}; }

  std::string name_;
  Queue queue_;
  Extents size_;
  stencil::Traits traits_;
  stencil::Call<K, T> call_;
  std::vector<Field<T>> inputs_;
  Field<T> out_;
};

/// Throws UsageError for a precision the kernel does not have.
[[noreturn]] void refuse_precision(const BenchRequest& request, const std::string& name,
                                   const std::string& known);

/// The case of a kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] std::unique_ptr<Case> stencil_case(const std::string& name, const K& kernel,
                                                 const BenchRequest& request) {
  if (request.precision == "fp64")
    return std::make_unique<StencilCase<K, double>>(name, kernel, request);
  if (request.precision == "fp32")
    return std::make_unique<StencilCase<K, float>>(name, kernel, request);
  refuse_precision(request, name, "fp32 and fp64");
}

} // namespace ridge::lab
