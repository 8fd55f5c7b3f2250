// A library that is called from a plan and says that it failed.
#include "tuner/model/tuner_baseline.h"

extern "C" {

const char* tuner_baseline_version(const char** /*why_not*/) {
  return "a library 1.0";
}

const char* fails(const tuner_call* /*call*/) {
  return "it failed";
}
}
