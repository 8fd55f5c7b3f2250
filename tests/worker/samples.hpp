#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/fields.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::test {

/// Values in which no field has its default, so that a lost one is noticed.
model::CompileJob full_compile_job();
model::Compilation full_compilation();
model::DeviceInfo full_device_info();
model::TrialJob full_trial_job();
model::TrialOutcome full_outcome();
model::FinalOutcome full_final();

/// The least a scripted worker needs.
model::TrialJob trial_job(const std::string& entry);
model::CompileJob compile_job(const std::string& entry);

/// Notes where the fields of a value lie, in order.
struct FieldPlaces {
  std::vector<const void*> places;
  template <class Field>
  void operator()(const char*, const Field& field) {
    places.push_back(&field);
  }
};

/// Compares each field with the one at the same place of another value.
struct FieldsAlike {
  const std::vector<const void*>& others;
  std::vector<std::string> names = {};
  std::size_t next = 0;
  template <class Field>
  void operator()(const char* name, const Field& field) {
    if (field == *static_cast<const Field*>(others.at(next++))) names.push_back(name);
  }
};

/// The fields of `sample` that have their default: losing one of these on the way would not be noticed.
template <class T>
std::vector<std::string> fields_at_default(const T& sample) {
  const T fresh{};
  FieldPlaces defaults;
  describe(defaults, fresh);
  FieldsAlike alike{defaults.places};
  describe(alike, sample);
  return alike.names;
}

}  // namespace tuner::test
