#pragma once
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

#include "tuner/model/device.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

/// The fields of records, each type's in one list. Messages between processes, the columns of the database
/// and their definitions, exports, JSON and the tables of docs/database.md follow from these lists, so that
/// none can forget a field. An archive is called with each field's name and value; values are const when
/// writing. A name, once released, stays.
namespace tuner::model {

template <class T, class Model>
concept Described = std::same_as<std::remove_const_t<T>, Model>;

// TUNER_EACH(macro, a, b, …) is macro(a) macro(b) …, of at most 40 arguments: each scan replaces one.
#define TUNER_NOTHING
#define TUNER_EXPAND(...) TUNER_SCAN13(TUNER_SCAN13(TUNER_SCAN13(__VA_ARGS__)))
#define TUNER_SCAN13(...) TUNER_SCAN4(TUNER_SCAN4(TUNER_SCAN4(__VA_ARGS__)))
#define TUNER_SCAN4(...) TUNER_SCAN(TUNER_SCAN(TUNER_SCAN(__VA_ARGS__)))
#define TUNER_SCAN(...) __VA_ARGS__
#define TUNER_EACH_OF(macro, first, ...) \
  macro(first) __VA_OPT__(TUNER_NEXT TUNER_NOTHING()(macro, __VA_ARGS__))
#define TUNER_NEXT() TUNER_EACH_OF
#define TUNER_EACH(macro, ...) TUNER_EXPAND(TUNER_EACH_OF(macro, __VA_ARGS__))

#define TUNER_FIELD(member) archive(#member, value.member);
/// Describes a record whose fields have the names of its members and no more is told of: in the order given.
#define TUNER_FIELDS(Type, ...)                               \
  template <class Archive, ::tuner::model::Described<Type> T> \
  void describe(Archive& archive, T& value) {                 \
    TUNER_EACH(TUNER_FIELD, __VA_ARGS__)                      \
  }                                                           \
  static_assert(true)

/// A field of a record, with what people are told of it in documents and in the database's schema.
struct Figure {
  const char* name;
  const char* meaning;
  const char* unit = "";
  /// When its value is not known. Such a value is NULL in a column and null in JSON; in memory it is less
  /// than 0 (an integer), 0 (a real number) or empty. No text here: the value is always known.
  const char* missing = "";
  const char* before = "";  ///< its name in exports of versions 1 to 4, where that was another
  bool may_be_missing() const { return *missing != 0; }
  operator const char*() const { return name; }  // NOLINT(google-explicit-constructor): most need the name
};

/// Enumerators as they are stored and shown.
template <Worded E>
std::string_view word_of(E value) {
  return to_string(value);
}
inline std::string_view word_of(ElementType type) {
  return cuda_name(type);
}

/// The inverse; false where `word` is none of them.
template <class E>
bool read_word(std::string_view word, E& value) {
  std::optional<E> found;
  if constexpr (Worded<E>)
    found = parse_word<E>(word);
  else
    found = parse_element_type(word);
  if (found) value = *found;
  return found.has_value();
}

/// What was expected in place of another word.
template <Worded E>
const char* words_of(E) {
  return Words<E>::expected;
}
inline const char* words_of(ElementType) {
  return "an element type such as float";
}

/// Whether a figure that may be missing is.
template <class T>
bool is_unknown(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value == 0;
  } else if constexpr (std::is_integral_v<T> && !std::same_as<T, bool>) {
    return value < 0;
  } else if constexpr (std::same_as<T, Configuration>) {
    return value.assignments().empty();
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return false;
  }
}

TUNER_FIELDS(Dim3, x, y, z);

TUNER_FIELDS(DeviceLimits, multiprocessors, warp_size, max_threads_per_block, max_threads_per_multiprocessor,
             max_blocks_per_multiprocessor, registers_per_block, registers_per_multiprocessor,
             shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_multiprocessor,
             reserved_shared_bytes_per_block, max_grid_x, max_grid_y, max_grid_z, max_block_x, max_block_y,
             max_block_z, l2_bytes);

TUNER_FIELDS(DeviceInfo, id, kind, name, uuid, architecture, compute_major, compute_minor, driver,
             memory_bytes, free_memory_bytes, limits);

template <class Archive, Described<KernelResources> T>
void describe(Archive& a, T& v) {
  a(Figure{"entry", "name expression of the kernel"}, v.entry);
  a(Figure{"symbol", "its name in the binary"}, v.symbol);
  a(Figure{"registers", "of a thread", "registers"}, v.registers);
  a(Figure{"spill_store_bytes", "of spilled registers that a thread stores", "bytes"}, v.spill_store_bytes);
  a(Figure{"spill_load_bytes", "of spilled registers that a thread loads", "bytes"}, v.spill_load_bytes);
  a(Figure{"stack_bytes", "of a thread", "bytes"}, v.stack_bytes);
  a(Figure{"static_shared_bytes", "of a block", "bytes"}, v.static_shared_bytes);
  a(Figure{"constant_bytes", "of the kernel", "bytes"}, v.constant_bytes);
  a(Figure{"max_threads_per_block", "from __launch_bounds__; 0: no limit", "threads"},
    v.max_threads_per_block);
}

template <class Archive, Described<Occupancy> T>
void describe(Archive& a, T& v) {
  a(Figure{"fraction", "warps that fit on a multiprocessor, by the most it can hold", "0 to 1"}, v.fraction);
  a(Figure{"blocks_per_multiprocessor", "blocks that fit on a multiprocessor", "blocks"},
    v.blocks_per_multiprocessor);
  a(Figure{"active_warps_per_multiprocessor", "warps that fit on a multiprocessor", "warps"},
    v.active_warps_per_multiprocessor);
  a(Figure{"limited_by", "what keeps it from being higher"}, v.limited_by);
}

template <class Archive, Described<Verification> T>
void describe(Archive& a, T& v) {
  a(Figure{"checked", "the results were compared with the reference"}, v.checked);
  a(Figure{"error_ratio", "the largest error by what the rule allows"}, v.error_ratio);
  a(Figure{"error_ulp_scale", "the largest error by the spacing of numbers as large as the expected one"},
    v.error_ulp_scale);
  a(Figure{"wrong_elements", "elements outside of the bound", "elements"}, v.wrong_elements);
  a(Figure{"first_wrong", "index of the first of them", "", "no element is wrong"}, v.first_wrong);
  a(Figure{"buffer", "the buffer that these figures are of"}, v.buffer);
  a(Figure{"rule", "by which rule the results were compared"}, v.rule);
}

template <class Archive, Described<Measurement> T>
void describe(Archive& a, T& v) {
  a(Figure{"median_ns", "median time of one execution", "ns"}, v.median_ns);
  a(Figure{"low_ns", "lower end of the 95 % interval of the median", "ns"}, v.low_ns);
  a(Figure{"high_ns", "upper end of it", "ns"}, v.high_ns);
  a(Figure{"min_ns", "fastest sample", "ns"}, v.min_ns);
  a(Figure{"launches_per_sample", "one sample is the mean of so many", "launches"}, v.launches_per_sample);
  a(Figure{"sm_clock_mhz", "median clock of the multiprocessors", "MHz", "the device does not tell"},
    v.sm_clock_mhz);
  a(Figure{"throttled_samples", "samples left out because the clock was lowered", "samples"},
    v.throttled_samples);
  a(Figure{"temperature_c", "of the GPU after the last sample", "°C", "the device does not tell"},
    v.temperature_c);
  a(Figure{"power_w", "of the GPU after the last sample", "W", "the device does not tell"}, v.power_w);
  a(Figure{"includes_launch_latency", "the time is so short that it includes the latency of a launch"},
    v.includes_launch_latency);
  a(Figure{"samples_ns", "all samples, in the order taken", "ns"}, v.samples_ns);
}

template <class Archive, Described<OutputBits> T>
void describe(Archive& a, T& v) {
  a(Figure{"inputs", "digest of what the inputs are drawn from; bits compare only where it is the same"},
    v.inputs);
  a(Figure{"outputs", "digest of all bits of all outputs"}, v.outputs);
}

template <class Archive, Described<Energy> T>
void describe(Archive& a, T& v) {
  constexpr const char* one_run = "one run gives none";
  a(Figure{"mean_j", "of one execution, by the device's counter", "J"}, v.mean_j);
  a(Figure{"low_j", "lower end of the 95 % interval of the mean", "J", one_run}, v.low_j);
  a(Figure{"high_j", "upper end of it", "J", one_run}, v.high_j);
  a(Figure{"mean_ns", "time of one execution meanwhile", "ns"}, v.mean_ns);
  a(Figure{"idle_w", "of the device that waits", "W", "unknown"}, v.idle_w);
  a(Figure{"clock_mhz", "mean clock of the multiprocessors meanwhile", "MHz", "the device does not tell"},
    v.clock_mhz);
  a(Figure{"runs", "that the mean is of", "runs"}, v.runs);
  a(Figure{"sequence", "of the result it came with: of two the larger counts"}, v.sequence);
}

template <class Archive, Described<Workload> T>
void describe(Archive& a, T& v) {
  a(Figure{"operations", "that the problem asks for, however it is solved", "", "the spec does not say"},
    v.operations);
  a(Figure{"bytes", "that the problem moves at least", "bytes", "the spec does not say"}, v.bytes);
}

template <class Archive, Described<Problem> T>
void describe(Archive& a, T& v) {
  a(Figure{"family", "kernels that solve the same problem"}, v.family);
  a(Figure{"sizes", "each size by name"}, v.sizes);
  a(Figure{"type", "element type"}, v.type);
  a(Figure{"row_padding", "added to each row of a matrix", "elements"}, v.row_padding);
}

template <class Archive, Described<Environment> T>
void describe(Archive& a, T& v) {
  a(Figure{"device", "name of the GPU"}, v.device);
  a(Figure{"driver", "its driver's version"}, v.driver);
  a(Figure{"toolkit", "compiler and its version"}, v.toolkit);
  a(Figure{"type", "element type"}, v.type);
  a(Figure{"l2", "state of the last-level cache at each launch: warm or cold"}, v.l2);
  a(Figure{"method", "how times are taken"}, v.method);
  a(Figure{"execution", "how launches follow each other: stream, or eager: a call of the host each", "",
           "back to back in a graph"},
    v.execution);
  a(Figure{"clock_mhz", "that the multiprocessors were locked to", "MHz", "they were not"}, v.clock_mhz);
  a(Figure{"inputs", "how inputs are made"}, v.inputs);
}

// describe_row() describes what a record's own row in the database holds. What it shares with others lies in
// other rows.

template <class Archive, Described<TrialRecord> T>
void describe_row(Archive& a, T& v) {
  a(Figure{"role", "competitor; baseline: never chosen; ceiling: measures what the device can do"}, v.role);
  a(Figure{"is_default", "the configuration that one has without tuning", "", "", "default"}, v.is_default);
  a(Figure{"origin", "where the candidate came from", "", "a baseline, or unknown", "idea"}, v.origin);
  a(Figure{"macros", "macros whose value the configuration does not show", "", "there are none"}, v.macros);
  a(Figure{"definition", "digest of all that decides what the kernel runs and what is right", "", "unknown"},
    v.definition);
  a(Figure{"binary", "digest of the job that compiles it", "", "there is no binary"}, v.binary_key);
  a(Figure{"probe", "digest of its binary with its probes", "", "it has none, or unknown"}, v.probe_key);
  a(Figure{"grid", "of the first launch", "blocks"}, v.grid);
  a(Figure{"block", "of the first launch", "threads"}, v.block);
  a(Figure{"dynamic_shared_bytes", "of the first launch", "bytes"}, v.dynamic_shared_bytes);
  a(Figure{"occupancy", "theoretical, of the first launch", "", "it was not compiled"}, v.occupancy);
  a(Figure{"driver_blocks_per_multiprocessor", "the same by the driver", "blocks",
           "the driver was not asked"},
    v.outcome.driver_blocks_per_multiprocessor);
  a(Figure{"status", "how the trial ended"}, v.outcome.status);
  a(Figure{"detail", "what went wrong; of a library, its version"}, v.outcome.detail);
  a(Figure{"device_lost", "the process could launch nothing after it"}, v.outcome.device_lost);
  a(Figure{"verification", "how the results compare with the reference"}, v.outcome.verification);
  a(Figure{"output_bits", "digests for telling which trials give the same bits", "",
           "the kernel is not deterministic, or nobody looked"},
    v.outcome.output_bits);
  a(Figure{"energy", "what one execution takes", "", "nobody asked, or the device does not tell"},
    v.outcome.energy);
  a(Figure{"metrics", "figures of the spec at the median time, by name with unit"}, v.metrics);
  a(Figure{"workload", "what the problem asks for"}, v.workload);
  a(Figure{"gpu", "uuid of the GPU that measured it", "", "it was not run, or unknown"}, v.gpu);
  a(Figure{"measured_at", "when the result was there", "UTC"}, v.measured_at);
  a(Figure{"run", "the run that measured it", "", "unknown"}, v.run);
  a(Figure{"sequence", "grows with each result of a run, and of a trial"}, v.sequence);
}

template <class Archive, Described<TrialRecord> T>
void describe(Archive& a, T& v) {
  a(Figure{"trial", "identity: what is compiled, how it is launched, on which problem, in which environment"},
    v.key);
  describe(a, v.problem);
  a(Figure{"kernel", "name of the kernel or library"}, v.kernel);
  a(Figure{"configuration", "each parameter by name"}, v.configuration);
  a(Figure{"environment", "times compare within one alone", "", "", "class"}, v.environment);
  describe_row(a, v);
  a(Figure{"measurement", "the current one", "", "it was not timed"}, v.outcome.measurement);
  a(Figure{"resources", "of the first kernel that is launched", "", "it was not compiled"}, v.resources);
  a(Figure{"compile_ms", "time to compile its binary", "ms"}, v.compile_ms);
  a(Figure{"compile_log", "output of the compiler"}, v.compile_log);
}

template <class Archive, Described<Outlook> T>
void describe(Archive& a, T& v) {
  a(Figure{"gain", "of the last `stretch` results; where that is 0, expected of the rest",
           "of the best time"},
    v.gain);
  a(Figure{"low", "lower end of the 95 % interval of an expectation", "of the best time"}, v.low);
  a(Figure{"high", "upper end of it", "of the best time"}, v.high);
  a(Figure{"estimate", "where the gain comes from"}, v.estimate);
  a(Figure{"stretch", "that the gain is of, failures not counted", "results"}, v.stretch);
  a(Figure{"behind",
           "of searches on test spaces that ended like this one more than 5 % behind the best; 0: none",
           "share"},
    v.behind);
  a(Figure{"behind_at_worst", "the same on the kind of space where it is largest", "share"},
    v.behind_at_worst);
  a(Figure{"faster", "of the rest, at most, that is faster, with 95 % confidence; 0: not known", "share"},
    v.faster);
}

TUNER_FIELDS(RunRecord, id, command_line, started_at, ended_at, state, host, version, strategy, seed, device,
             toolkit, measured);

TUNER_FIELDS(FinalRecord::Entry, trial, ratio, ratio_low, ratio_high, tied);

TUNER_FIELDS(FinalRecord::Coverage, run, kernel, first, last);

template <class Archive, Described<FinalRecord> T>
void describe_row(Archive& a, T& v) {
  a("chosen", v.chosen);
  a("entries", v.entries);
  a("coverage", v.coverage);
  a("rounds", v.rounds);
  a("throttled_rounds", v.throttled_rounds);
  a("measured_at", v.measured_at);
  a("run", v.run);
  a("sequence", v.sequence);
}

TUNER_FIELDS(SearchRecord::Part, kernel, spec, candidates);

template <class Archive, Described<SearchRecord> T>
void describe_row(Archive& a, T& v) {
  a("run", v.run);
  a("strategy", v.strategy);
  a("ending", v.ending);
  a("kernels", v.parts);
  a("tried", v.tried);
  a("failed", v.failed);
  a("outlook", v.outlook);
  a("ended_at", v.ended_at);
}

/// Records of a case: its problem and environment, then their own rows.
template <class Archive, class T>
requires Described<T, FinalRecord> || Described<T, SearchRecord>
void describe(Archive& a, T& v) {
  describe(a, v.problem);
  a(Figure{"environment", "times compare within one alone", "", "", "class"}, v.environment);
  describe_row(a, v);
}

TUNER_FIELDS(Counter, metric, value, unit);

TUNER_FIELDS(Ceiling, device, kind, type, value, unit, trial, measured_at);

TUNER_FIELDS(ProbeVerdict, probe, status, detail, deaths, trial, run, measured_at);

TUNER_FIELDS(KernelDeclaration, family, kernel, role, definition, spec, path, host, declared_at);

}  // namespace tuner::model
