#pragma once
#include <string>

namespace db {

/// How rows that other rows do not change are put, for whoever has their values: SQL whose parameters are in
/// the order of its columns. A row that is known stays.
std::string insert_configuration();
/// `binary`, then the fields of KernelResources.
std::string insert_binary_kernel();
/// `id, trial, measured_at, sequence, status, metrics`, the fields of Measurement, `run`.
std::string insert_measurement();
/// As sql("insert_trial"), without the last parameter.
std::string insert_new_trial();

// The same rows, of which the caller knows that their run is there, or else names none.

/// As insert_new_trial(), with `superseded` among the parameters.
std::string insert_copied_trial();
/// As insert_measurement().
std::string insert_copied_measurement();

}  // namespace db
