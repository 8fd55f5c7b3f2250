#include "tuner/capture/recording.hpp"

asm(R"(
.section .rodata
.global tuner_capture_library_begin
.global tuner_capture_library_end
.balign 16
tuner_capture_library_begin:
.incbin ")" TUNER_CAPTURE_LIBRARY R"("
tuner_capture_library_end:
.byte 0
.text
)");

extern "C" {
extern const char tuner_capture_library_begin[];
extern const char tuner_capture_library_end[];
}

namespace tuner::capture {

std::string_view embedded_library() {
  return {tuner_capture_library_begin,
          static_cast<std::size_t>(tuner_capture_library_end - tuner_capture_library_begin)};
}

}  // namespace tuner::capture
