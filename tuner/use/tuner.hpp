#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tuner.h"

/// The library for C++17: tuner.h with types. Nothing throws; nothing is allocated but what the C interface
/// allocates.
///
///   tuner::pack p;
///   tuner::kernel k;
///   if (auto e = p.open("matmul.tuned")) return report(e.text(), e.detail());
///   if (auto e = tuner::kernel::find(p, "family", &k)) …
///   if (auto e = k.launch(stream, {m, n, k}, a, b, c)) …
namespace tuner {

/// True where something failed.
class [[nodiscard]] error {
 public:
  error(tuner_error code = TUNER_OK) : m_code(code) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return m_code != TUNER_OK; }
  tuner_error code() const { return m_code; }
  const char* text() const { return tuner_error_text(m_code); }
  /// Of this thread's last error.
  static const char* detail() { return tuner_error_detail(); }

 private:
  tuner_error m_code;
};

/// The element type behind a pointer. Specialise it for types of your own, such as __half; unknown ones are
/// not checked.
template <typename Element>
struct type_of {
  static constexpr tuner_type value() {
    using T = std::remove_cv_t<Element>;
    if constexpr (std::is_same_v<T, bool>) {
      return TUNER_BOOL;
    } else if constexpr (std::is_same_v<T, float>) {
      return TUNER_FLOAT32;
    } else if constexpr (std::is_same_v<T, double>) {
      return TUNER_FLOAT64;
    } else if constexpr (std::is_integral_v<T>) {
      constexpr bool has_sign = std::is_signed_v<T>;
      if constexpr (sizeof(T) == 1) return has_sign ? TUNER_INT8 : TUNER_UINT8;
      if constexpr (sizeof(T) == 2) return has_sign ? TUNER_INT16 : TUNER_UINT16;
      if constexpr (sizeof(T) == 4) return has_sign ? TUNER_INT32 : TUNER_UINT32;
      return has_sign ? TUNER_INT64 : TUNER_UINT64;
    } else {
      return TUNER_ANY;
    }
  }
};

/// An array whose length is checked, in place of a bare pointer. One of nothing is a null pointer.
template <typename Element>
struct array {
  Element* pointer;
  std::size_t count;
};
template <typename Element>
array(Element*, std::size_t) -> array<Element>;

/// As the last argument of a launch that needs one.
struct workspace {
  void* pointer = nullptr;
  std::size_t bytes = 0;
};

/// Of a pack: a file, or bytes.
struct layer : tuner_layer {
  layer(const char* file, const void* data = nullptr,
        std::size_t count = 0)  // NOLINT(google-explicit-constructor)
      : tuner_layer{file, data, count} {}
  layer(const tuner_layer& given) : tuner_layer(given) {}  // NOLINT(google-explicit-constructor)
};
static_assert(sizeof(layer) == sizeof(tuner_layer), "a list of them is one of tuner_layer");

class pack {
 public:
  pack() = default;
  pack(pack&& other) noexcept : m_pack(std::exchange(other.m_pack, nullptr)) {}
  pack& operator=(pack&& other) noexcept {
    std::swap(m_pack, other.m_pack);
    return *this;
  }
  ~pack() { tuner_pack_close(m_pack); }

  error open(const char* path) { return tuner_pack_open(path, fresh()); }
  /// Several as one: a later one counts where two know the same.
  error open(std::initializer_list<layer> layers) {
    return tuner_pack_open_layers(layers.begin(), layers.size(), fresh());
  }
  /// Bytes that outlive the pack, such as tuner_embed() puts into a program.
  error view(const void* bytes, std::size_t count) { return tuner_pack_view(bytes, count, fresh()); }
  void close() { *fresh() = nullptr; }

  std::string_view digest() const { return tuner_pack_digest(m_pack); }
  const tuner_pack* get() const { return m_pack; }

 private:
  tuner_pack** fresh() {
    tuner_pack_close(m_pack);
    m_pack = nullptr;
    return &m_pack;
  }
  tuner_pack* m_pack = nullptr;
};

struct choice : tuner_choice {
  tuner::error error;  ///< where there is one, the rest says nothing
};

/// One of a pack, which must outlive it. Sizes are in the order of the spec.
class kernel {
 public:
  using sizes = std::initializer_list<std::int64_t>;

  static error find(const pack& from, const char* family, kernel* found) {
    return find(from, family, nullptr, found);
  }
  /// `type`: the element type as CUDA C++ calls it.
  static error find(const pack& from, const char* family, const char* type, kernel* found) {
    return tuner_kernel_find(from.get(), family, type, &found->m_kernel);
  }

  /// Into `context`, a CUcontext; null: the current one. Without sizes all that may be picked on its device.
  error prepare(void* context) const { return tuner_kernel_prepare(m_kernel, context, nullptr, 0); }
  error prepare(void* context, const std::int64_t* all_sizes, std::size_t problems) const {
    return tuner_kernel_prepare(m_kernel, context, all_sizes, problems);
  }
  error prepare(void* context, sizes problem) const {
    if (problem.size() > 0 && problem.size() != tuner_kernel_size_count(m_kernel))
      return pick(0, problem).error;  // which refuses them
    return prepare(context, problem.begin(), problem.size() > 0);
  }

  tuner::choice pick(int device, sizes problem) const {
    tuner::choice choice = {};
    choice.error = tuner_kernel_pick(m_kernel, device, problem.begin(), problem.size(), &choice);
    return choice;
  }

  error workspace_for(int device, sizes problem, tuner_workspace* needed) const {
    return tuner_kernel_workspace(m_kernel, device, problem.begin(), problem.size(), needed);
  }

  /// Arguments: pointers, tuner::array, numbers; a tuner::workspace where one is needed.
  template <typename... Arguments>
  error launch(void* stream, sizes problem, const Arguments&... arguments) const {
    values<sizeof...(Arguments)> passed;
    (passed.add(arguments), ...);
    return tuner_kernel_launch(m_kernel, stream, problem.begin(), problem.size(), passed.all, passed.count,
                               passed.space.pointer, passed.space.bytes);
  }

  const tuner_kernel* get() const { return m_kernel; }

 private:
  template <std::size_t Most>
  struct values {
    tuner_value all[Most + 1];
    std::size_t count = 0;
    tuner::workspace space;

    void add(const tuner::workspace& given) { space = given; }
    void add(std::nullptr_t) { add_pointer(TUNER_ANY, nullptr, 0); }
    template <typename Element>
    void add(Element* const& pointer) {
      add_pointer(type_of<Element>::value(), pointer, 0);
    }
    template <typename Element, std::size_t Count>
    void add(const Element (&given)[Count]) {
      add_pointer(type_of<Element>::value(), given, sizeof(given));
    }
    template <typename Element>
    void add(const array<Element>& given) {
      add_pointer(type_of<Element>::value(), given.count > 0 ? given.pointer : nullptr,
                  given.count * sizeof(Element));
    }
    template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
    void add(const Number& number) {
      tuner_value& value = all[count++];
      value.type = type_of<Number>::value();
      value.is_pointer = 0;
      value.bytes = 0;
      if constexpr (std::is_floating_point_v<Number>) {
        value.value.real = static_cast<double>(number);
      } else {
        value.value.integer = static_cast<std::int64_t>(number);
      }
    }
    void add_pointer(tuner_type type, const void* pointer, std::uint64_t bytes) {
      tuner_value& value = all[count++];
      value.type = type;
      value.is_pointer = 1;
      value.value.pointer = pointer;
      value.bytes = bytes;
    }
  };

  const tuner_kernel* m_kernel = nullptr;
};

}  // namespace tuner
