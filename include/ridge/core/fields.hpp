// A list of fields of several types, such as those of a schedule or a record.
#pragma once

#include <cstddef>
#include <utility>

namespace ridge {

namespace detail {

template <std::size_t I, class F>
struct NthField {
  F field;
};

template <class Indices, class... F>
struct FieldsAt;

template <std::size_t... I, class... F>
struct FieldsAt<std::index_sequence<I...>, F...> : NthField<I, F>... {
  constexpr explicit FieldsAt(F... fields) : NthField<I, F>{fields}... {}

  template <class Visitor>
  constexpr void visit(Visitor&& visitor) const {
    (visitor(static_cast<const NthField<I, F>&>(*this).field), ...);
  }
};

} // namespace detail

/// Fields in order. A std::tuple would hold them too, but each source that includes a schedule
/// would instantiate its constructors and their conditions: a third of the time to read the
/// headers.
template <class... F>
struct Fields : detail::FieldsAt<std::index_sequence_for<F...>, F...> {
  static constexpr std::size_t size = sizeof...(F);

  constexpr explicit Fields(F... fields)
      : detail::FieldsAt<std::index_sequence_for<F...>, F...>(fields...) {}

  template <std::size_t I>
  [[nodiscard]] constexpr const auto& get() const {
    return nth<I>(*this);
  }

private:
  template <std::size_t I, class Field>
  static constexpr const Field& nth(const detail::NthField<I, Field>& one) {
    return one.field;
  }
};

} // namespace ridge
