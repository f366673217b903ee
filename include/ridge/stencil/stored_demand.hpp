// Stencils of fields that are stored in 16 bits: what describes one is compiled when it is asked
// for.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/stencil/any_kernel.hpp>
#include <ridge/stencil/stored_shell.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>

namespace ridge::stencil {

/// The function that the description of a stored kernel offers, by the type of its numbers: the
/// kernel of these bytes on fields of S.
template <class S>
using DescribeStored = std::shared_ptr<const CheckedKernel<S>>(std::span<const std::byte> functor);

/// Throws UsageError where a stencil reads neighbours of input number `input`, called `name`: only
/// what is read at the point itself stays fp32 beside fields of 16 bits.
void require_at_point(const Traits& traits, std::size_t input, std::string_view name,
                      std::string_view kernel);

/// The kernel on fields of S, its mathematics in fp32. Its description is compiled or taken from
/// the cache. Throws as load_description does; UsageError for a kernel whose source nobody said.
/// Inputs whose bits `wide` has stay fp32, as those of Stored<K, wide> do.
template <class S>
[[nodiscard]] std::shared_ptr<const CheckedKernel<S>>
stored_kernel(const CheckedKernel<float>& kernel, unsigned wide = 0);
/// The same of a kernel that evolves, by the type of its call in fp32 and its bytes.
template <class S>
[[nodiscard]] std::shared_ptr<const SweptKernel<S>>
stored_swept(const std::type_info& call, std::span<const std::byte> functor, unsigned wide = 0);
extern template std::shared_ptr<const SweptKernel<Fp16>>
stored_swept(const std::type_info&, std::span<const std::byte>, unsigned);
extern template std::shared_ptr<const SweptKernel<Bf16>>
stored_swept(const std::type_info&, std::span<const std::byte>, unsigned);

extern template std::shared_ptr<const CheckedKernel<Fp16>>
stored_kernel(const CheckedKernel<float>&, unsigned);
extern template std::shared_ptr<const CheckedKernel<Bf16>>
stored_kernel(const CheckedKernel<float>&, unsigned);

} // namespace ridge::stencil
