#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile::host {

/// A declaration that cannot be rewritten.
struct RewriteProblem {
  int line = 0;
  std::string message;
};

struct RewrittenSource {
  std::string text;  ///< as many lines as the original, each declaration on its own
  std::vector<RewriteProblem> problems;
};

/// Rewrites each declaration of dynamic shared memory,
///   extern __shared__ alignas(16) T name[];      also with its specifiers in another order, in a macro's
///   body, with
///                                                several declarators, further extents, or none
/// into a binding to the running block's memory,
///   T (&name)[] = tuner_cpu::DynamicShared{};                       in a function
///   static tuner_cpu::DynamicSharedArray<T[]> name;                 outside
/// Alignment is dropped: the memory is aligned for every type.
///
/// Where `bind_static` says so, static shared variables of functions, `__shared__ T name[N];`, are bound to
/// memory of their own in the same way: `T (&name)[N] = tuner_cpu::static_shared([] {});`. All other text is
/// left as it is.
RewrittenSource rewrite_shared(std::string_view source, bool bind_static);

}  // namespace tuner::compile::host
