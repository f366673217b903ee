// The standard library that kernels use, for compilers of kernels at run time, which have none
// of it. The files beside this one give it the standard headers' names. Layouts are those of
// libstdc++: a call is made by the host's compiler and read by kernels.
#pragma once

#if defined(__HIPCC_RTC__)
// hiprtc brings parts of std along, which differ from version to version; so this is another one.
#define std ridge_std
#endif

namespace std {

// --- cstddef, cstdint
using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using nullptr_t = decltype(nullptr);
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;

// --- type_traits
template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const noexcept { return V; }
  constexpr T operator()() const noexcept { return V; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class...>
using void_t = void;
template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
template <bool B, class T, class F>
struct conditional : type_identity<T> {};
template <class T, class F>
struct conditional<false, T, F> : type_identity<F> {};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;
template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> : type_identity<T> {};
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;

template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct remove_volatile : type_identity<T> {};
template <class T>
struct remove_volatile<volatile T> : type_identity<T> {};
template <class T>
using remove_cv_t = remove_const_t<typename remove_volatile<T>::type>;
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T>
using decay_t = remove_cvref_t<T>; // of what kernels pass: no arrays, no functions

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class A, class B>
struct is_same : bool_constant<is_same_v<A, B>> {};
template <class T>
inline constexpr bool is_const_v = false;
template <class T>
inline constexpr bool is_const_v<const T> = true;
template <class T>
inline constexpr bool is_void_v = is_same_v<remove_cv_t<T>, void>;
template <class T>
inline constexpr bool is_floating_point_v =
    is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>;
template <class T, class... Among>
inline constexpr bool is_among_v = (is_same_v<T, Among> || ...);
template <class T>
inline constexpr bool is_integral_v =
    is_among_v<remove_cv_t<T>, bool, char, signed char, unsigned char, short, unsigned short, int,
               unsigned, long, unsigned long, long long, unsigned long long>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_enum_v = __is_enum(T);
template <class T>
inline constexpr bool is_empty_v = __is_empty(T);
template <class From, class To>
inline constexpr bool is_convertible_v = __is_convertible_to(From, To);
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class Base, class Derived>
inline constexpr bool is_base_of_v = __is_base_of(Base, Derived);

// --- concepts
template <class A, class B>
concept same_as = is_same_v<A, B>;
template <class T>
concept floating_point = is_floating_point_v<T>;
template <class T>
concept integral = is_integral_v<T>;

// --- utility
template <class T>
constexpr remove_reference_t<T>&& move(T&& value) noexcept {
  return static_cast<remove_reference_t<T>&&>(value);
}
template <class T>
constexpr T&& forward(remove_reference_t<T>& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
constexpr T&& forward(remove_reference_t<T>&& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
constexpr const T& as_const(T& value) noexcept {
  return value;
}
template <class T>
T&& declval() noexcept;
template <class T>
constexpr void swap(T& a, T& b) {
  T kept = move(a);
  a = move(b);
  b = move(kept);
}
template <class A, class B>
struct pair {
  A first;
  B second;
};
template <class A, class B>
pair(A, B) -> pair<A, B>;

template <class T, T... I>
struct integer_sequence {
  static constexpr size_t size() noexcept { return sizeof...(I); }
};
template <size_t... I>
using index_sequence = integer_sequence<size_t, I...>;
namespace ridge_detail {
template <class T, class Low, class High>
struct joined;
template <class T, T... L, T... H>
struct joined<T, integer_sequence<T, L...>, integer_sequence<T, H...>>
    : type_identity<integer_sequence<T, L..., (static_cast<T>(sizeof...(L)) + H)...>> {};
template <class T, size_t N>
struct counted : joined<T, typename counted<T, N / 2>::type, typename counted<T, N - N / 2>::type> {
};
template <class T>
struct counted<T, 0> : type_identity<integer_sequence<T>> {};
template <class T>
struct counted<T, 1> : type_identity<integer_sequence<T, 0>> {};
} // namespace ridge_detail
template <class T, T N>
using make_integer_sequence = typename ridge_detail::counted<T, static_cast<size_t>(N)>::type;
template <size_t N>
using make_index_sequence = make_integer_sequence<size_t, N>;
template <class... T>
using index_sequence_for = make_index_sequence<sizeof...(T)>;

// --- array
template <class T, size_t N>
struct array {
  T elements[N];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  [[nodiscard]] constexpr size_t size() const { return N; }
  [[nodiscard]] constexpr bool empty() const { return false; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T* begin() { return elements; }
  constexpr T* end() { return elements + N; }
  constexpr const T* begin() const { return elements; }
  constexpr const T* end() const { return elements + N; }
  constexpr T& front() { return elements[0]; }
  constexpr const T& front() const { return elements[0]; }
  constexpr T& back() { return elements[N - 1]; }
  constexpr const T& back() const { return elements[N - 1]; }
  constexpr void fill(const T& value) {
    for (T& e : elements)
      e = value;
  }
};
template <class T, size_t N>
constexpr bool operator==(const array<T, N>& a, const array<T, N>& b) {
  for (size_t i = 0; i < N; ++i) {
    if (!(a.elements[i] == b.elements[i])) return false;
  }
  return true;
}
template <class T>
struct array<T, 0> {
  constexpr T& operator[](size_t) const { return *static_cast<T*>(nullptr); }
  [[nodiscard]] constexpr size_t size() const { return 0; }
  [[nodiscard]] constexpr bool empty() const { return true; }
  constexpr T* begin() const { return nullptr; }
  constexpr T* end() const { return nullptr; }
};
template <class T, class... Rest>
array(T, Rest...) -> array<T, 1 + sizeof...(Rest)>;

// --- tuple: the last element first, and empty ones take no room
namespace ridge_detail {
template <size_t I, class T, bool Empty = __is_empty(T) && !__is_final(T)>
struct leaf {
  T value;
  friend constexpr bool operator==(const leaf&, const leaf&) = default;
};
template <size_t I, class T>
struct leaf<I, T, true> {
  [[no_unique_address]] T value;
  friend constexpr bool operator==(const leaf&, const leaf&) = default;
};
template <size_t I, class... T>
struct leaves {
  friend constexpr bool operator==(const leaves&, const leaves&) = default;
};
template <size_t I, class Head, class... Tail>
struct leaves<I, Head, Tail...> : leaves<I + 1, Tail...>, leaf<I, Head> {
  constexpr leaves() = default;
  constexpr leaves(const Head& head, const Tail&... tail)
      : leaves<I + 1, Tail...>(tail...), leaf<I, Head>{head} {}
  friend constexpr bool operator==(const leaves&, const leaves&) = default;
};
template <size_t I, class T, bool E>
constexpr T& part(leaf<I, T, E>& l) {
  return l.value;
}
template <size_t I, class T, bool E>
constexpr const T& part(const leaf<I, T, E>& l) {
  return l.value;
}
} // namespace ridge_detail
template <class... T>
struct tuple : ridge_detail::leaves<0, T...> {
  constexpr tuple() = default;
  constexpr tuple(const T&... values) requires(sizeof...(T) > 0)
      : ridge_detail::leaves<0, T...>(values...) {}
  friend constexpr bool operator==(const tuple&, const tuple&) = default;
};
template <class... T>
tuple(T...) -> tuple<T...>;
template <class... T>
constexpr tuple<decay_t<T>...> make_tuple(T&&... values) {
  return tuple<decay_t<T>...>(static_cast<T&&>(values)...);
}
template <size_t I, class... T>
constexpr auto& get(tuple<T...>& t) {
  return ridge_detail::part<I>(t);
}
template <size_t I, class... T>
constexpr const auto& get(const tuple<T...>& t) {
  return ridge_detail::part<I>(t);
}
template <size_t I, class T, size_t N>
constexpr T& get(array<T, N>& a) {
  return a[I];
}
template <size_t I, class T, size_t N>
constexpr const T& get(const array<T, N>& a) {
  return a[I];
}

template <class T>
struct tuple_size;
template <class... T>
struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T, size_t N>
struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <class T>
struct tuple_size<const T> : tuple_size<T> {};
template <class T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T>
struct tuple_element;
template <size_t I, class... T>
struct tuple_element<I, tuple<T...>>
    : type_identity<decay_t<decltype(get<I>(declval<tuple<T...>&>()))>> {};
template <size_t I, class T, size_t N>
struct tuple_element<I, array<T, N>> : type_identity<T> {};
template <size_t I, class T>
struct tuple_element<I, const T> : type_identity<const typename tuple_element<I, T>::type> {};
template <size_t I, class T>
using tuple_element_t = typename tuple_element<I, T>::type;

template <class F, class T>
constexpr decltype(auto) apply(F&& f, T&& values) {
  return [&]<size_t... I>(index_sequence<I...>)->decltype(auto) {
    return f(get<I>(values)...);
  }
  (make_index_sequence<tuple_size_v<remove_cvref_t<T>>>{});
}

// --- algorithm
template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

// --- string_view: names in constants
class string_view {
public:
  constexpr string_view() = default;
  constexpr string_view(const char* text) : text_(text) {
    while (text[size_] != 0)
      ++size_;
  }
  [[nodiscard]] constexpr size_t size() const { return size_; }
  [[nodiscard]] constexpr const char* data() const { return text_; }
  constexpr char operator[](size_t i) const { return text_[i]; }

private:
  const char* text_ = nullptr;
  size_t size_ = 0;
};

// --- cmath, cstring: the compiler's own
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::memcpy;
using ::pow;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;

// --- limits
template <class T>
struct numeric_limits;
template <>
struct numeric_limits<float> {
  static constexpr float min() { return 1.17549435e-38F; }
  static constexpr float max() { return 3.40282347e+38F; }
  static constexpr float lowest() { return -max(); }
  static constexpr float epsilon() { return 1.19209290e-07F; }
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
  static constexpr float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000u); }
  static constexpr int digits = 24;
};
template <>
struct numeric_limits<double> {
  static constexpr double min() { return 2.2250738585072014e-308; }
  static constexpr double max() { return 1.7976931348623157e+308; }
  static constexpr double lowest() { return -max(); }
  static constexpr double epsilon() { return 2.2204460492503131e-16; }
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ull); }
  static constexpr double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000ull); }
  static constexpr int digits = 53;
};
template <>
struct numeric_limits<int> {
  static constexpr int min() { return -2147483647 - 1; }
  static constexpr int max() { return 2147483647; }
};
template <>
struct numeric_limits<long> {
  static constexpr long min() { return -9223372036854775807L - 1; }
  static constexpr long max() { return 9223372036854775807L; }
};

// --- numbers
namespace numbers {
template <class T>
inline constexpr T pi_v = T(3.141592653589793238462643383279502884L);
template <class T>
inline constexpr T e_v = T(2.718281828459045235360287471352662498L);
template <class T>
inline constexpr T sqrt2_v = T(1.414213562373095048801688724209698079L);
inline constexpr double pi = pi_v<double>;
inline constexpr double e = e_v<double>;
inline constexpr double sqrt2 = sqrt2_v<double>;
} // namespace numbers

} // namespace std

#if !defined(__HIPCC_RTC__) // which has them already
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::ptrdiff_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using std::uintptr_t;
#endif
