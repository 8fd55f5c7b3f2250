#pragma once
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// What `work`'s kernel is today.
model::KernelDeclaration declaration_of(const Work& work);

/// Tells `services.sink` what each kernel of the request is today, its rivals included, and which of its past
/// trials that describes: only those compete from now on. A library that a kernel's spec named and names no
/// longer has none. Where no spec has changed this costs a look.
void declare_kernels(const Request& request, Services& services);

}  // namespace tuner::sweep
