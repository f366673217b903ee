#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/user_kernel.hpp>

#include "fill_fields.hpp"
#include "stencil_on_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace ridge::lab {

using stencil::stored_kernel;

namespace {

/// Fills a field with the high or the low halves of such numbers in fp32.
template <class T>
void fill_halves(Queue& queue, const Span<T>& field, std::uint64_t seed, bool low) {
  if constexpr (is_stored<T>) {
    constexpr Index period = 262139;
    std::vector<T> halves(static_cast<std::size_t>(std::min(period, field.size)));
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(
          static_cast<float>(random_value(seed, static_cast<Index>(i))));
      halves[i] = static_cast<T>(low ? bits & 0xffffU : bits >> 16U);
    }
    for (Index at = 0; at < field.size; at += period)
      copy_to_device(queue, field.data + at, halves.data(), std::min(period, field.size - at));
    queue.wait();
  } else {
    (void)queue, (void)field, (void)seed, (void)low;
  }
}

/// Fields of random numbers for a stencil, on a queue of their own. Those of Stored<K, wide> hold
/// halves of numbers where it says so.
template <class T>
struct RandomFields {
  RandomFields(const std::string& name, const stencil::Traits& traits, const BenchRequest& request)
      : queue(request.device), extents(request.size.xyz()),
        strides(
            stencil::spread(request.device, traits, extents, stencil::Strides::packed(extents))) {
    const Extents held{strides.plane * extents.z};
    const auto add = [&](int i) -> Field<T>& {
      return fields.emplace_back(request.device, held,
                                 "input " + std::to_string(i) + " of " + name);
    };
    const int numbers = traits.inputs() - std::popcount(request.wide);
    for (int i = 0; i < numbers; ++i) {
      const auto seed = static_cast<std::uint64_t>(i) + 1;
      if ((request.wide >> i & 1U) != 0) {
        fill_halves(queue, add(i).elements(), seed, false);
      } else {
        fill_numbers(queue, add(i).elements(), seed);
      }
    }
    for (int i = 0; i < numbers; ++i) {
      if ((request.wide >> i & 1U) != 0)
        fill_halves(queue, add(i).elements(), static_cast<std::uint64_t>(i) + 1, true);
    }
    out = Field<T>(request.device, held, "the output of " + name);
  }
  [[nodiscard]] std::vector<View<const T>> inputs() const {
    std::vector<View<const T>> all;
    for (const Field<T>& field : fields)
      all.emplace_back(field.data(), extents, strides.row, strides.plane);
    return all;
  }
  [[nodiscard]] View<T> output() const { return {out.data(), extents, strides.row, strides.plane}; }

  Queue queue;
  Index3 extents;
  stencil::Strides strides;
  std::vector<Field<T>> fields;
  Field<T> out;
};

template <class T>
class StencilCase final : private RandomFields<T>, public StencilOnViews<T> {
public:
  StencilCase(const std::string& name, const typename StencilOnViews<T>::Kernel& kernel,
              const BenchRequest& request)
      : RandomFields<T>(name, kernel->traits(), request),
        StencilOnViews<T>(name, RandomFields<T>::queue, kernel, RandomFields<T>::inputs(),
                          RandomFields<T>::output()),
        wide_(request.wide) {}

  void complete(Record& record, const AskedSchedule& /*schedule*/) override {
    if (wide_ == 0) return;
    std::string stored;
    for (int i = 0; i < this->kernel_->traits().inputs() - std::popcount(wide_); ++i)
      stored += fmt::format("{}{}={}", i > 0 ? "," : "", i + 1,
                            (wide_ >> i & 1U) != 0 ? "fp32" : precision_name<T>());
    record.details.push_back({"storage", 0, stored});
  }

private:
  unsigned wide_;
};

const StencilOnViews<float>& stencil_in_fp32(const Case& fp32, std::string_view refuse) {
  const auto* const of = dynamic_cast<const StencilOnViews<float>*>(&fp32);
  if (of == nullptr) throw UsageError(std::string(refuse));
  return *of;
}

template <class S>
std::unique_ptr<Case> stored_case(const std::string& name, const StencilKernel& kernel,
                                  const BenchRequest& request) {
  const stencil::Traits& traits = kernel.fp32->traits();
  for (std::size_t i = 0; i < traits.footprints.size(); ++i) {
    if ((request.wide >> i & 1U) != 0) require_at_point(traits, i, std::to_string(i + 1), name);
  }
  return std::make_unique<StencilCase<S>>(
      name, stored_kernel<S>(*kernel.fp32, lab_library(), request.wide), request);
}

} // namespace

template <class T>
std::unique_ptr<Case> stencil_on_views(std::string name, Queue& queue,
                                       std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                                       std::vector<View<const T>> in, const View<T>& out) {
  return std::make_unique<StencilOnViews<T>>(std::move(name), queue, std::move(kernel),
                                             std::move(in), out);
}
template std::unique_ptr<Case>
stencil_on_views(std::string, Queue&, std::shared_ptr<const stencil::CheckedKernel<float>>,
                 std::vector<View<const float>>, const View<float>&);
template std::unique_ptr<Case>
stencil_on_views(std::string, Queue&, std::shared_ptr<const stencil::CheckedKernel<double>>,
                 std::vector<View<const double>>, const View<double>&);

template <class T>
std::unique_ptr<Case> stencil_on_arrays(Queue& queue,
                                        std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                                        const Arguments& arguments) {
  const auto inputs = static_cast<std::size_t>(kernel->traits().inputs());
  check_count(arguments, inputs + 1);
  const stencil::Offset r = kernel->traits().radius;
  check_folded(arguments, axes_of(r.y, r.z));
  check_least(arguments, {2 * Index{r.x} + 1, 2 * Index{r.y} + 1, 2 * Index{r.z} + 1}, "stencil");
  std::vector<View<const T>> in;
  for (std::size_t i = 0; i < inputs; ++i)
    in.push_back(view_of<const T>(arguments.arrays[i]));
  return stencil_on_views<T>(arguments.kernel, queue, std::move(kernel), std::move(in),
                             view_of<T>(arguments.arrays[inputs]));
}
template std::unique_ptr<Case>
stencil_on_arrays(Queue&, std::shared_ptr<const stencil::CheckedKernel<float>>, const Arguments&);
template std::unique_ptr<Case>
stencil_on_arrays(Queue&, std::shared_ptr<const stencil::CheckedKernel<double>>, const Arguments&);

std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const StencilKernel& kernel,
                                        const Arguments& arguments) {
  return arguments.arrays.back().element_bytes == 4
             ? stencil_on_arrays<float>(queue, kernel.fp32, arguments)
             : stencil_on_arrays<double>(queue, kernel.fp64, arguments);
}

bool is_storage(std::string_view precision) {
  return precision == "fp16" || precision == "bf16";
}
void check_storage(std::string_view name) {
  if (is_storage(name)) return;
  throw UsageError(fmt::format(
      "--store-as {}: fp16 or bf16 is right{}", name,
      name.find('=') == std::string_view::npos ? "" : "; a list of fields is for stencils"));
}

void require_at_point(const stencil::Traits& traits, std::size_t input, std::string_view name,
                      std::string_view kernel) {
  for (const stencil::Offset& o : traits.footprints.at(input)) {
    if (o == stencil::Offset{}) continue;
    throw UsageError(fmt::format("{} reads neighbours of '{}', so give it fp16 or bf16; what is "
                                 "read at the point alone may stay fp32",
                                 kernel, name));
  }
}

void require_at_point(const Case& fp32, unsigned wide, const std::vector<std::string>& names) {
  const auto& of = stencil_in_fp32(fp32, "--store-as is for stencils in fp32");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((wide >> i & 1U) != 0) require_at_point(of.traits(), i, names[i], fp32.subject().kernel);
  }
}

void split_numbers(Queue& queue, const View<const float>& numbers, void* high, void* low) {
  const Index3 n = numbers.extents;
  const bool packed = numbers.row == n.x && numbers.plane == n.x * n.y;
  const Index run = packed ? n.x * n.y * n.z : n.x;
  constexpr Index piece = Index{1} << 22;
  std::vector<float> both(static_cast<std::size_t>(std::min(piece, run)));
  std::vector<Fp16> upper(both.size());
  std::vector<Fp16> lower(both.size());
  Index done = 0;
  const auto split = [&](const float* from) {
    for (Index begin = 0; begin < run; begin += piece) {
      const Index count = std::min(piece, run - begin);
      copy_to_host(queue, both.data(), from + begin, count);
      queue.wait();
      for (Index i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(both[static_cast<std::size_t>(i)]);
        upper[static_cast<std::size_t>(i)] = static_cast<Fp16>(bits >> 16U);
        lower[static_cast<std::size_t>(i)] = static_cast<Fp16>(bits & 0xffffU);
      }
      copy_to_device(queue, static_cast<Fp16*>(high) + done, upper.data(), count);
      copy_to_device(queue, static_cast<Fp16*>(low) + done, lower.data(), count);
      queue.wait();
      done += count;
    }
  };
  if (packed) return split(numbers.data);
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y)
      split(numbers.data + numbers.at(0, y, z));
  }
}

std::unique_ptr<Case> stored_on(const Case& fp32, std::string_view storage,
                                const std::vector<const void*>& in, void* out, unsigned wide) {
  check_storage(storage);
  const auto& of = stencil_in_fp32(fp32, "--store-as is for stencils in fp32");
  return storage == "fp16" ? of.stored<Fp16>(in, out, wide) : of.stored<Bf16>(in, out, wide);
}

std::unique_ptr<Case> stored_on_arrays(const Case& fp32, std::string_view storage,
                                       const Arguments& arguments) {
  check_storage(storage);
  const auto& of = stencil_in_fp32(fp32, arguments.kernel + ": arrays of 16 bits are for stencils");
  return storage == "fp16" ? of.stored<Fp16>(arguments) : of.stored<Bf16>(arguments);
}

std::unique_ptr<Case> stencil_case(const std::string& name, const StencilKernel& kernel,
                                   const BenchRequest& request) {
  if (request.precision == "fp64")
    return std::make_unique<StencilCase<double>>(name, kernel.fp64, request);
  if (request.precision == "fp32")
    return std::make_unique<StencilCase<float>>(name, kernel.fp32, request);
  if (request.precision == "fp16") return stored_case<Fp16>(name, kernel, request);
  if (request.precision == "bf16") return stored_case<Bf16>(name, kernel, request);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

BenchKernel bench_stencil(const std::string& name, const std::string& meaning,
                          const Extents& default_size,
                          std::function<StencilKernel(const Extents& size)> make) {
  BenchKernel made{name, "stencil", meaning, default_size,
                   [name, make](const BenchRequest& request, RoofSource&) {
                     return stencil_case(name, make(request.size), request);
                   }};
  OnArrays& on = made.on_arrays;
  on.inputs = static_cast<std::size_t>(make(default_size).fp64->traits().inputs());
  on.on_grid = true;
  on.names.clear();
  for (std::size_t i = 1; i <= on.inputs; ++i)
    on.names.push_back(on.inputs == 1 ? "the input" : "input " + std::to_string(i));
  on.names.emplace_back("the output");
  on.make = [make](Queue& queue, RoofSource&, const Arguments& arguments) {
    const Array& out = arguments.arrays.back();
    return stencil_on_arrays(queue, make(Extents(out.extents.data(), std::min(out.rank, 3))),
                             arguments);
  };
  made.make_menu = [name, make](const BenchRequest& r, const Place& place) {
    const StencilKernel kernel = make(r.size);
    if (r.precision != "fp32" && r.precision != "fp64")
      refuse_precision(r.precision, name, "fp32 and fp64");
    return stencil::menu(r.precision == "fp32" ? kernel.fp32->traits() : kernel.fp64->traits(),
                         r.size.xyz(), place);
  };
  made.add_ranks([name, make](const BenchRequest& request, RoofSource&) {
    return rank_stencil_case(name, make(request.size), request);
  });
  return made;
}

void refuse_precision(std::string_view precision, std::string_view name, std::string_view known) {
  throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name, known));
}

Extents default_stencil_size(int rank) {
  return rank == 3   ? Extents{512, 512, 512}
         : rank == 2 ? Extents{16384, 8192}
                     : Extents{Index{1} << 27};
}

} // namespace ridge::lab
