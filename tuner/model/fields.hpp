#pragma once
#include "tuner/model/compile_job.hpp"
#include "tuner/model/record_fields.hpp"
#include "tuner/model/trial.hpp"

/// The fields of jobs and outcomes, as processes send them to each other.
namespace tuner::model {

template <class Archive, Described<SourceText> T>
void describe(Archive& a, T& v) {
  a("name", v.name);
  a("text", v.text);
}

template <class Archive, Described<Macro> T>
void describe(Archive& a, T& v) {
  a("name", v.name);
  a("value", v.value);
}

template <class Archive, Described<CompileJob> T>
void describe(Archive& a, T& v) {
  a("source", v.source);
  a("source_key", v.source_key);
  a("macros", v.macros);
  a("vocabulary", v.vocabulary);
  a("options", v.options);
  a("entries", v.entries);
  a("architecture", v.architecture);
  a("compiler", v.compiler);
  a("host_library", v.host_library);
  a("by_nvcc", v.by_nvcc);
}

template <class Archive, Described<Compilation> T>
void describe(Archive& a, T& v) {
  a("status", v.status);
  a("binary", v.binary);
  a("kernels", v.kernels);
  a("log", v.log);
  a("compile_ms", v.compile_ms);
  a("from_cache", v.from_cache);
}

template <class Archive, Described<Init> T>
void describe(Archive& a, T& v) {
  a("kind", v.kind);
  a("a", v.a);
  a("b", v.b);
  a("c", v.c);
}

template <class Archive, Described<FileContents> T>
void describe(Archive& a, T& v) {
  a("path", v.path);
  a("digest", v.digest);
  a("first_byte", v.first_byte);
  a("type", v.type);
  a("elements", v.elements);
}

template <class Archive, Described<Tolerance> T>
void describe(Archive& a, T& v) {
  a("absolute", v.absolute);
  a("relative", v.relative);
  a("ulps", v.ulps);
  a("share", v.share);
}

template <class Archive, Described<FieldPlan> T>
void describe(Archive& a, T& v) {
  a("buffer", v.buffer);
  a("offset_bytes", v.offset_bytes);
}

template <class Archive, Described<BufferPlan> T>
void describe(Archive& a, T& v) {
  a("name", v.name);
  a("type", v.type);
  a("elements", v.elements);
  a("access", v.access);
  a("init", v.init);
  a("second_init", v.second_init);
  a("file", v.file);
  a("second_file", v.second_file);
  a("expected", v.expected);
  a("ignores_unwritten", v.ignores_unwritten);
  a("unordered_within", v.unordered_within);
  a("restored", v.restored);
  a("symbol", v.symbol);
  a("memory", v.memory);
  a("tolerance", v.tolerance);
  a("struct_bytes", v.struct_bytes);
  a("fields", v.fields);
}

template <class Archive, Described<TensorMap> T>
void describe(Archive& a, T& v) {
  each_map_key(
      [&](const TensorMapKey& key, auto& value) {
        a(key.name, value);
        return true;
      },
      v);
  a("nan_outside", v.nan_outside);
}

template <class Archive, Described<Texture> T>
void describe(Archive& a, T& v) {
  a("shape", v.shape);
  a("pitch_bytes", v.pitch_bytes);
  a("outside", v.outside);
  a("interpolates", v.interpolates);
  a("reads_normalized", v.reads_normalized);
  a("normalized_coordinates", v.normalized_coordinates);
  a("in_array", v.in_array);
  a("is_surface", v.is_surface);
}

template <class Archive, Described<StructNumber> T>
void describe(Archive& a, T& v) {
  a("type", v.type);
  a("offset_bytes", v.offset_bytes);
  a("integer", v.integer);
  a("real", v.real);
}

template <class Archive, Described<Operand> T>
void describe(Archive& a, T& v) {
  a("kind", v.kind);
  a("buffer", v.buffer);
  a("type", v.type);
  a("integer", v.integer);
  a("real", v.real);
  a("integers", v.integers);
  a("reals", v.reals);
  a("struct_bytes", v.struct_bytes);
  a("numbers", v.numbers);
  a("tensor", v.tensor);
  a("texture", v.texture);
}

template <class Archive, Described<Step> T>
void describe(Archive& a, T& v) {
  a("kind", v.kind);
  a("entry", v.entry);
  each_key(
      [&](const StepKey& key, auto& value) {
        a(key.name, value);
        return true;
      },
      v);
  a("repeat_steps", v.repeat_steps);
  a("operands", v.operands);
  a("buffer", v.buffer);
  a("stream", v.stream);
  a("after", v.after);
}

template <class Archive, Described<VerifyPlan> T>
void describe(Archive& a, T& v) {
  a("reference", v.reference);
  a("rounding_terms", v.rounding_terms);
  a("second_is_exact", v.second_is_exact);
  a("tolerance", v.tolerance);
  a("accumulator", v.accumulator);
  a("comparison", v.comparison);
}

template <class Archive, Described<Plan> T>
void describe(Archive& a, T& v) {
  a("problem", v.problem);
  a("buffers", v.buffers);
  a("steps", v.steps);
  a("generator", v.generator);
  a("verify", v.verify);
  a("deterministic", v.deterministic);
}

template <class Archive, Described<Cut> T>
void describe(Archive& a, T& v) {
  a("samples", v.samples);
  a("factor", v.factor);
}

template <class Archive, Described<FinalPolicy> T>
void describe(Archive& a, T& v) {
  a("contestants", v.finalists);
  a("within", v.within);
  a("choosing_rounds", v.choosing_rounds);
  a("confirming_rounds", v.confirming_rounds);
  a("time_limit_ns", v.time_limit_ns);
}

template <class Archive, Described<MeasurePolicy> T>
void describe(Archive& a, T& v) {
  a("name", v.name);
  a("samples", v.samples);
  a("cuts", v.cuts);
  a("final", v.final);
  a("batch_below_ns", v.batch_below_ns);
  a("batch_ns", v.batch_ns);
  a("time_limit_ns", v.time_limit_ns);
  a("flush_l2", v.flush_l2);
}

/// Without the reference's binary and kernels, which most trials share: they travel apart.
template <class Archive, Described<TrialJob> T>
void describe(Archive& a, T& v) {
  a("key", v.key);
  a("plan", v.plan);
  a("binary", v.binary);
  a("kernels", v.kernels);
  a("reference_key", v.reference_key);
  a("policy", v.policy);
  a("probes", v.probes);
  a("best_ns", v.best_ns);
  a("seed", v.seed);
  a("role", v.role);
}

template <class Archive, Described<TrialOutcome> T>
void describe(Archive& a, T& v) {
  a("status", v.status);
  a("detail", v.detail);
  a("verification", v.verification);
  a("measurement", v.measurement);
  a("device_lost", v.device_lost);
  a("driver_blocks_per_multiprocessor", v.driver_blocks_per_multiprocessor);
  a("subject", v.subject);
  a("probes_passed", v.probes_passed);
}

template <class Archive, Described<Standing> T>
void describe(Archive& a, T& v) {
  a("measurement", v.measurement);
  a("ratio", v.ratio);
  a("ratio_low", v.ratio_low);
  a("ratio_high", v.ratio_high);
  a("tied", v.tied);
}

template <class Archive, Described<FinalOutcome> T>
void describe(Archive& a, T& v) {
  a("standings", v.standings);
  a("fastest", v.fastest);
  a("rounds", v.rounds);
  a("throttled_rounds", v.throttled_rounds);
  a("failure", v.failure);
  a("culprit", v.culprit);
}

}  // namespace tuner::model
