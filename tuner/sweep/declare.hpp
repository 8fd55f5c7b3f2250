#pragma once
#include <string>

#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// What `work`'s kernel is today.
model::KernelDeclaration declaration_of(const Work& work);

/// Tells `services.sink` what each kernel of the request is today, its rivals included, and which of its past
/// trials that describes: only those compete from now on. A library that a kernel's spec named and names no
/// longer has none. Where no spec has changed this costs a look.
void declare_kernels(const Request& request, Services& services);

/// The same of the kernels that it tunes and another sweep has declared otherwise since, to be called before
/// what competes is asked for: a sweep goes by its own specs to its end, whoever shares its database. Says
/// so, once. Rivals are for others to declare, who may have edited them meanwhile.
void hold_declarations(const Request& request, Services& services);

/// The same of all that it tunes, with what others have measured of them meanwhile: before its answers are
/// read.
void declare_own(const Request& request, Services& services);

/// Which kernels another path has declared as something else than this sweep has: a sentence, empty where
/// there is none. To be asked before declare_kernels().
std::string other_declarations(const Request& request, model::ResultSource& source);

}  // namespace tuner::sweep
