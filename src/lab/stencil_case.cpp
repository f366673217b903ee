#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/user_kernel.hpp>

#include "stencil_on_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace ridge::lab {

using stencil::stored_kernel;

namespace {

/// Fills a field with numbers of [-1, 1): those of the device, or of a period that no row has.
template <class T>
void fill(Queue& queue, const Span<T>& field, std::uint64_t seed) {
  if constexpr (is_stored<T>) {
    constexpr Index period = 262139;
    std::vector<T> numbers(static_cast<std::size_t>(std::min(period, field.size)));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = rounded_to<T>(static_cast<float>(random_value(seed, static_cast<Index>(i))));
    }
    for (Index at = 0; at < field.size; at += period)
      copy_to_device(queue, field.data + at, numbers.data(), std::min(period, field.size - at));
    queue.wait();
  } else {
    fill_random(queue, field, seed);
  }
}

/// Fields of random numbers for a stencil, on a queue of their own.
template <class T>
struct RandomFields {
  RandomFields(const std::string& name, const stencil::Traits& traits, const BenchRequest& request)
      : queue(request.device), extents(request.size.xyz()),
        strides(
            stencil::spread(request.device, traits, extents, stencil::Strides::packed(extents))) {
    const Extents held{strides.plane * extents.z};
    for (int i = 0; i < traits.inputs(); ++i) {
      fields.emplace_back(request.device, held, "input " + std::to_string(i) + " of " + name);
      fill(queue, fields.back().elements(), static_cast<std::uint64_t>(i) + 1);
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
      : RandomFields<T>(name, kernel->traits(), request), StencilOnViews<T>(
                                                              name, RandomFields<T>::queue, kernel,
                                                              RandomFields<T>::inputs(),
                                                              RandomFields<T>::output()) {}
};

template <class S>
std::unique_ptr<Case> stored_case(const std::string& name, const StencilKernel& kernel,
                                  const BenchRequest& request) {
  return std::make_unique<StencilCase<S>>(name, stored_kernel<S>(*kernel.fp32, lab_library()),
                                          request);
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
  throw UsageError(fmt::format("--store-as {}: fp16 or bf16 is right{}", name,
                               name.find('=') == std::string_view::npos
                                   ? ""
                                   : "; a list of fields is for evolve of stencils"));
}

std::unique_ptr<Case> stored_on(const Case& fp32, std::string_view storage, const void* in,
                                void* out) {
  check_storage(storage);
  const auto* const of = dynamic_cast<const StencilOnViews<float>*>(&fp32);
  if (of == nullptr || of->inputs() != 1)
    throw UsageError("--store-as is for stencils of one input in fp32");
  return storage == "fp16" ? of->stored<Fp16>(in, out) : of->stored<Bf16>(in, out);
}

std::unique_ptr<Case> stored_on_arrays(const Case& fp32, std::string_view storage,
                                       const Arguments& arguments) {
  check_storage(storage);
  const auto* const of = dynamic_cast<const StencilOnViews<float>*>(&fp32);
  if (of == nullptr) throw UsageError(arguments.kernel + ": arrays of 16 bits are for stencils");
  return storage == "fp16" ? of->stored<Fp16>(arguments) : of->stored<Bf16>(arguments);
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
