#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/own_fields.hpp>
#include <ridge/stencil/rank_case.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace ridge::lab {

using stencil::stored_kernel;

namespace {

using InFp32 = CallCase<stencil::AnyCall<float>>;

InFp32& stencil_in_fp32(Case& fp32, std::string_view refuse) {
  auto* const of = dynamic_cast<InFp32*>(&fp32);
  if (of == nullptr) throw UsageError(std::string(refuse));
  return *of;
}

template <class T>
std::unique_ptr<Case> on_arrays(Queue& queue,
                                std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                                const Arguments& arguments) {
  const auto inputs = static_cast<std::size_t>(kernel->traits().inputs());
  check_count(arguments, inputs + 1);
  const stencil::Offset r = kernel->traits().radius;
  check_folded(arguments, axes_of(r.y, r.z));
  check_least(arguments, {2 * Index{r.x} + 1, 2 * Index{r.y} + 1, 2 * Index{r.z} + 1}, "stencil");
  stencil::AnyCall<T> call{std::move(kernel), {}, view_of<T>(arguments.arrays[inputs])};
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

bool is_storage(std::string_view precision) {
  return precision == "fp16" || precision == "bf16";
}
void check_storage(std::string_view name) {
  if (is_storage(name)) return;
  throw UsageError(fmt::format(
      "--store-as {}: fp16 or bf16 is right{}", name,
      name.find('=') == std::string_view::npos ? "" : "; a list of fields is for stencils"));
}

void require_at_point(Case& fp32, unsigned wide, const std::vector<std::string>& names) {
  const auto& of = stencil_in_fp32(fp32, "--store-as is for stencils in fp32").call();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((wide >> i & 1U) != 0)
      require_at_point(of.kernel->traits(), i, names[i], fp32.subject().kernel);
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

std::unique_ptr<Case> stored_on(Case& fp32, std::string_view storage,
                                const std::vector<const void*>& in, void* out, unsigned wide) {
  check_storage(storage);
  const auto& of = stencil_in_fp32(fp32, "--store-as is for stencils in fp32").call();
  const auto stored = [&]<class S>(S /*number*/) {
    const Index3 n = of.out.extents;
    stencil::AnyCall<S> call{
        stored_kernel<S>(*of.kernel, lab_library(), wide), {}, View<S>(static_cast<S*>(out), n)};
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
      stencil_in_fp32(fp32, arguments.kernel + ": arrays of 16 bits are for stencils").call();
  const auto stored = [&]<class S>(S /*number*/) {
    return on_arrays(fp32.queue(), stored_kernel<S>(*of.kernel, lab_library()), arguments);
  };
  return storage == "fp16" ? stored(Fp16{}) : stored(Bf16{});
}

std::unique_ptr<Case> stencil_case(const std::string& name, const StencilKernel& kernel,
                                   const BenchRequest& request) {
  const auto made =
      [&]<class T>(std::shared_ptr<const stencil::CheckedKernel<T>> any) -> std::unique_ptr<Case> {
    if (const World& world = request.world) {
      return std::make_unique<stencil::RankCase<T>>(name, std::move(any),
                                                    stencil::RankRequest{request.device,
                                                                         request.size, *world.ranks,
                                                                         world.grid, request.wide});
    }
    const auto own = std::make_shared<stencil::OwnFields<T>>(name, std::move(any), request.device,
                                                             request.size.xyz(), request.wide);
    return case_of(name, own->queue, own->call, {request.wide}, own);
  };
  if (request.precision == "fp64") return made(kernel.fp64);
  if (request.precision == "fp32") return made(kernel.fp32);
  if (!is_storage(request.precision)) refuse_precision(request.precision, name, "fp32 and fp64");
  const stencil::Traits& traits = kernel.fp32->traits();
  for (std::size_t i = 0; i < traits.footprints.size(); ++i) {
    if ((request.wide >> i & 1U) != 0) require_at_point(traits, i, std::to_string(i + 1), name);
  }
  const auto stored = [&]<class S>(S /*number*/) {
    return made(stored_kernel<S>(*kernel.fp32, lab_library(), request.wide));
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
  made.over_ranks = true;
  return made;
}

Extents default_stencil_size(int rank) {
  return rank == 3   ? Extents{512, 512, 512}
         : rank == 2 ? Extents{16384, 8192}
                     : Extents{Index{1} << 27};
}

} // namespace ridge::lab
