#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/stencil/bench.hpp>
#include <ridge/stencil/own_fields.hpp>
#include <ridge/stencil/rank_case.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ridge::stencil {

namespace {

using InFp32 = CallCase<AnyCall<float>>;

InFp32& stencil_in_fp32(Case& fp32, std::string_view refuse) {
  auto* const of = dynamic_cast<InFp32*>(&fp32);
  if (of == nullptr) throw UsageError(std::string(refuse));
  return *of;
}

template <class T>
std::unique_ptr<Case> on_arrays(Queue& queue, std::shared_ptr<const CheckedKernel<T>> kernel,
                                const Arguments& arguments) {
  const auto inputs = static_cast<std::size_t>(kernel->traits().inputs());
  check_count(arguments, inputs + 1);
  const Offset r = kernel->traits().radius;
  check_folded(arguments, axes_of(r.y, r.z));
  check_least(arguments, {2 * Index{r.x} + 1, 2 * Index{r.y} + 1, 2 * Index{r.z} + 1}, "stencil");
  AnyCall<T> call{std::move(kernel), {}, view_of<T>(arguments.arrays[inputs])};
  for (std::size_t i = 0; i < inputs; ++i)
    call.in.push_back(view_of<const T>(arguments.arrays[i]));
  return case_of(arguments.kernel, queue, std::move(call));
}

} // namespace

std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const StencilKernel& kernel,
                                        const Arguments& arguments) {
  return arguments.arrays.back().element_bytes == 4 ? on_arrays(queue, kernel.fp32, arguments)
                                                    : on_arrays(queue, kernel.fp64, arguments);
}

std::unique_ptr<Case> stencil_case(const std::string& name, const StencilKernel& kernel,
                                   const BenchRequest& request) {
  const auto made =
      [&]<class T>(std::shared_ptr<const CheckedKernel<T>> any) -> std::unique_ptr<Case> {
    if (request.world) return std::make_unique<RankCase<T>>(name, any, request);
    const auto own = std::make_shared<OwnFields<T>>(name, std::move(any), request.device,
                                                    request.size.xyz(), request.wide);
    return case_of(name, own->queue, own->call, {request.wide}, own);
  };
  if (request.precision == "fp64") return made(kernel.fp64);
  if (request.precision == "fp32") return made(kernel.fp32);
  if (!is_storage(request.precision)) refuse_precision(request.precision, name, "fp32 and fp64");
  const Traits& traits = kernel.fp32->traits();
  for (std::size_t i = 0; i < traits.footprints.size(); ++i) {
    if ((request.wide >> i & 1U) != 0) require_at_point(traits, i, std::to_string(i + 1), name);
  }
  const auto stored = [&]<class S>(S /*number*/) {
    return made(stored_kernel<S>(*kernel.fp32, request.wide));
  };
  return request.precision == "fp16" ? stored(Fp16{}) : stored(Bf16{});
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
    const GivenArray& out = arguments.arrays.back();
    return stencil_on_arrays(queue, make(Extents(out.extents.data(), std::min(out.rank, 3))),
                             arguments);
  };
  made.make_menu = [name, make](const BenchRequest& r, const Place& place) {
    const StencilKernel kernel = make(r.size);
    if (r.precision != "fp32" && r.precision != "fp64")
      refuse_precision(r.precision, name, "fp32 and fp64");
    return menu(r.precision == "fp32" ? kernel.fp32->traits() : kernel.fp64->traits(), r.size.xyz(),
                place);
  };
  made.over_ranks = true;
  made.stored = true;
  return made;
}

Extents default_stencil_size(int rank) {
  return rank == 3   ? Extents{512, 512, 512}
         : rank == 2 ? Extents{16384, 8192}
                     : Extents{Index{1} << 27};
}

} // namespace ridge::stencil

namespace ridge {

void require_at_point(Case& fp32, unsigned wide, const std::vector<std::string>& names) {
  const auto& of = stencil::stencil_in_fp32(fp32, "--store-as is for stencils in fp32").call();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((wide >> i & 1U) != 0)
      stencil::require_at_point(of.kernel->traits(), i, names[i], fp32.subject().kernel);
  }
}

std::unique_ptr<Case> stored_on(Case& fp32, std::string_view storage,
                                const std::vector<const void*>& in, void* out, unsigned wide) {
  check_storage(storage);
  const auto& of = stencil::stencil_in_fp32(fp32, "--store-as is for stencils in fp32").call();
  const auto stored = [&]<class S>(S /*number*/) {
    const Index3 n = of.out.extents;
    stencil::AnyCall<S> call{
        stencil::stored_kernel<S>(*of.kernel, wide), {}, View<S>(static_cast<S*>(out), n)};
    for (const void* const field : in)
      call.in.emplace_back(static_cast<const S*>(field), n);
    return case_of(fp32.subject().kernel, fp32.queue(), std::move(call));
  };
  return storage == "fp16" ? stored(Fp16{}) : stored(Bf16{});
}

std::unique_ptr<Case> stored_on_arrays(Case& fp32, std::string_view storage,
                                       const Arguments& arguments) {
  check_storage(storage);
  const auto& of =
      stencil::stencil_in_fp32(fp32, arguments.kernel + ": arrays of 16 bits are for stencils")
          .call();
  const auto stored = [&]<class S>(S /*number*/) {
    return stencil::on_arrays(fp32.queue(), stencil::stored_kernel<S>(*of.kernel), arguments);
  };
  return storage == "fp16" ? stored(Fp16{}) : stored(Bf16{});
}

} // namespace ridge
