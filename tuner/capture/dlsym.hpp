#pragma once

namespace tuner::capture {

/// What a program gets that asks dlsym() for `name` of `library`, or null where it gets what the loader has.
void* replaced(void* library, const char* name);
/// The same of NVRTC's functions.
void* replaced_nvrtc(void* library, const char* name);

}  // namespace tuner::capture
