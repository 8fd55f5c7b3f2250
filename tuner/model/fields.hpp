#pragma once
#include "tuner/model/compile_job.hpp"
#include "tuner/model/record_fields.hpp"
#include "tuner/model/trial.hpp"

/// The fields of jobs and outcomes, as processes send them to each other.
namespace tuner::model {

TUNER_FIELDS(SourceText, name, text);

TUNER_FIELDS(Macro, name, value);

TUNER_FIELDS(CompileJob, source, source_key, macros, vocabulary, options, entries, architecture, compiler,
             host_library, by_nvcc, library);

TUNER_FIELDS(Compilation, status, binary, kernels, log, compile_ms, from_cache, library);

TUNER_FIELDS(Init, kind, a, b, c);

TUNER_FIELDS(FileContents, path, digest, first_byte, type, elements);

TUNER_FIELDS(Tolerance, absolute, relative, ulps, share);

TUNER_FIELDS(FieldPlan, buffer, offset_bytes);

TUNER_FIELDS(BufferPlan, name, type, elements, access, init, second_init, file, second_file, expected,
             ignores_unwritten, unordered_within, restored, symbol, memory, tolerance, struct_bytes, fields);

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

TUNER_FIELDS(Texture, shape, pitch_bytes, outside, interpolates, reads_normalized, normalized_coordinates,
             in_array, is_surface);

TUNER_FIELDS(StructNumber, type, offset_bytes, integer, real);

TUNER_FIELDS(Operand, kind, buffer, type, integer, real, integers, reals, struct_bytes, numbers, tensor,
             texture);

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

TUNER_FIELDS(VerifyPlan, reference, rounding_terms, second_is_exact, tolerance, accumulator, comparison);

TUNER_FIELDS(Plan, problem, buffers, steps, generator, verify, deterministic);

TUNER_FIELDS(Cut, samples, factor);

TUNER_FIELDS(FinalPolicy, finalists, within, choosing_rounds, confirming_rounds, time_limit_ns);

TUNER_FIELDS(MeasurePolicy, name, samples, cuts, final, batch_below_ns, batch_ns, time_limit_ns, flush_l2,
             execution, energy, objective, clock_mhz);

/// Without the reference's binary and kernels, which most trials share: they travel apart.
TUNER_FIELDS(TrialJob, key, plan, binary, kernels, library, reference_key, policy, probes, best_ns, seed,
             role, distrusted);

TUNER_FIELDS(TrialOutcome, status, detail, verification, measurement, device_lost,
             driver_blocks_per_multiprocessor, subject, probes_passed, output_bits, energy);

TUNER_FIELDS(Standing, measurement, ratio, ratio_low, ratio_high, tied, energy);

TUNER_FIELDS(Profile, outcome, counters, passes);

TUNER_FIELDS(FinalOutcome, standings, fastest, rounds, throttled_rounds, failure, culprit);

}  // namespace tuner::model
