
#include <cstring>

#include "tuner/use/library.hpp"

// From a configuration to what the driver is given. Everything lies on the stack.
namespace tuner::use {

tuner_error plan_workspaces(const PackView& pack, const ConfigurationRecord& configuration,
                            const Variables& variables, WorkspacePlan& plan) {
  for (std::uint32_t i = 0; i < configuration.workspaces.count; ++i) {
    const WorkspaceRecord& workspace = pack.workspaces()[configuration.workspaces.first + i];
    std::int64_t bytes = 0;
    const Fault fault = pack.value(workspace.bytes, variables, bytes);
    if (fault != Fault::none) return undefined(fault, "the bytes of a workspace");
    constexpr std::int64_t most_bytes = std::int64_t{1} << 56;
    if (bytes > most_bytes)
      return fail(TUNER_BEYOND_LIMITS, "a workspace of %lld bytes", static_cast<long long>(bytes));
    plan.at[i] = plan.all;
    plan.bytes[i] = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
    plan.all += (plan.bytes[i] + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    if (plan.bytes[i] > 0 && workspace.fill == Fill::zero_first) plan.zero_first = true;
  }
  return TUNER_OK;
}

namespace {

/// One launch of a configuration: its expressions evaluated, step by step.
class Run {
 public:
  Run(const Call& call, const PackView& pack, const ConfigurationRecord& configuration, Loaded& loaded)
      : m_call(call),
        m_pack(pack),
        m_kernel(pack.kernels()[configuration.owner]),
        m_configuration(configuration),
        m_loaded(loaded),
        m_limits(call.kernel.pack->devices[call.place].limits),
        m_scene{call, pack, m_kernel, configuration, {}, {}} {}

  tuner_error run(const std::int64_t* sizes) {
    set_variables(m_call.kernel, m_call.place, sizes, m_scene.variables);
    derive(m_pack, m_configuration, m_configuration.derived.count, m_scene.variables);
    tuner_error error = check_arguments(m_scene);
    if (error == TUNER_OK)
      error = plan_workspaces(m_pack, m_configuration, m_scene.variables, m_scene.workspaces);
    if (error == TUNER_OK) error = check_workspace();
    if (error == TUNER_OK) error = clear_workspaces();
    if (error == TUNER_OK) error = run_steps();
    return error;
  }

 private:
  tuner_error check_workspace() const {
    if (m_scene.workspaces.all == 0) return TUNER_OK;
    if (m_call.workspace == 0 || m_call.workspace_bytes < m_scene.workspaces.all)
      return fail(TUNER_SMALL_WORKSPACE, "%llu bytes are needed, and %llu were given",
                  static_cast<unsigned long long>(m_scene.workspaces.all),
                  static_cast<unsigned long long>(m_call.workspace == 0 ? 0 : m_call.workspace_bytes));
    if (m_call.workspace % workspace_alignment == 0) return TUNER_OK;
    return fail(TUNER_MISALIGNED, "the workspace must lie at a multiple of %u bytes", workspace_alignment);
  }

  tuner_error clear_workspaces() const {
    for (std::uint32_t i = 0; i < m_configuration.workspaces.count; ++i) {
      const WorkspaceRecord& workspace = m_pack.workspaces()[m_configuration.workspaces.first + i];
      if (workspace.fill != Fill::zero_always) continue;
      const tuner_error error =
          set_memory(m_call.workspace + m_scene.workspaces.at[i], 0, m_scene.workspaces.bytes[i]);
      if (error != TUNER_OK) return error;
    }
    return TUNER_OK;
  }

  tuner_error run_steps() {
    const StepRecord* const steps = m_pack.steps() + m_configuration.steps.first;
    std::int64_t launches = 0;
    for (std::uint32_t i = 0; i < m_configuration.steps.count;) {
      const std::uint32_t width = steps[i].repeat_steps > 0 ? steps[i].repeat_steps : 1;
      std::int64_t repeat = 1;
      if (steps[i].repeat_steps > 0) {
        if (const tuner_error error = m_scene.number(steps[i].repeat, 1, "repeat", repeat); error != TUNER_OK)
          return error;
      }
      if (repeat < 0)
        return fail(TUNER_BEYOND_LIMITS, "a loop of %lld rounds", static_cast<long long>(repeat));
      if (repeat > most_launches / width || (launches += repeat * width) > most_launches)
        return fail(TUNER_BEYOND_LIMITS, "a run of over %lld launches",
                    static_cast<long long>(most_launches));
      for (; repeat > 0; --repeat) {
        for (std::uint32_t k = i; k < i + width; ++k) {
          if (const tuner_error error = run_step(steps[k]); error != TUNER_OK) return error;
        }
      }
      i += width;
    }
    return TUNER_OK;
  }

  tuner_error run_step(const StepRecord& step) {
    std::int64_t applies = 1;
    if (const tuner_error error = m_scene.number(step.when, 1, "when", applies); error != TUNER_OK)
      return error;
    if (applies == 0) return TUNER_OK;
    if (is_copy(step)) return run_copy(step);
    return step.kind == StepKind::launch ? run_launch(step) : run_memset(step);
  }

  tuner_error run_copy(const StepRecord& step) const {
    const Symbol& symbol = m_loaded.symbols[step.function];
    std::int64_t bytes = 0;
    if (const tuner_error error = m_scene.number(step.byte_count, 0, "bytes", bytes); error != TUNER_OK)
      return error;
    if (bytes <= 0) return TUNER_OK;
    const auto count = static_cast<std::uint64_t>(bytes);
    if (count > symbol.bytes)
      return fail(TUNER_BEYOND_LIMITS, "%lld bytes for a variable of %llu", static_cast<long long>(bytes),
                  static_cast<unsigned long long>(symbol.bytes));
    const std::uintptr_t passed = m_scene.address_of(false, step.target);
    const bool is_set = step.kind == StepKind::set_symbol;
    const std::uintptr_t to = is_set ? symbol.address : passed;
    const std::uintptr_t from = is_set ? passed : symbol.address;
    if (m_call.driver == nullptr) {
      std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), count);
      return TUNER_OK;
    }
    const CuResult result = m_call.driver->copy_async(to, from, count, m_call.stream);
    return result == 0 ? TUNER_OK
                       : driver_failed(*m_call.driver, TUNER_CANNOT_LAUNCH, result, "copying a variable");
  }

  tuner_error run_memset(const StepRecord& step) const {
    const bool is_of_symbol = step.kind == StepKind::memset_symbol;
    std::int64_t all = 0;
    if (is_of_symbol) {
      all = static_cast<std::int64_t>(m_loaded.symbols[step.function].bytes);
    } else if (step.is_workspace != 0) {
      all = static_cast<std::int64_t>(m_scene.workspaces.bytes[step.target]);
    } else {
      const Code& bytes = m_pack.parameters()[m_kernel.parameters.first + step.target].bytes;
      if (const tuner_error error = m_scene.number(bytes, 0, "memset", all); error != TUNER_OK) return error;
    }
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t byte = 0;
    tuner_error error = m_scene.number(step.first_byte, 0, "first", first);
    if (error == TUNER_OK && (first < 0 || first > all)) error = TUNER_BEYOND_LIMITS;
    if (error == TUNER_OK) error = m_scene.number(step.byte_count, all - first, "count", count);
    if (error == TUNER_OK) error = m_scene.number(step.byte, 0, "value", byte);
    if (error == TUNER_OK && (count < 0 || count > all - first || byte < 0 || byte > 255))
      error = TUNER_BEYOND_LIMITS;
    if (error == TUNER_BEYOND_LIMITS)
      return fail(error, "a memset of %lld bytes from byte %lld of %lld", static_cast<long long>(count),
                  static_cast<long long>(first), static_cast<long long>(all));
    if (error != TUNER_OK) return error;
    const std::uintptr_t begin = is_of_symbol ? m_loaded.symbols[step.function].address
                                              : m_scene.address_of(step.is_workspace != 0, step.target);
    return set_memory(begin + static_cast<std::uintptr_t>(first), static_cast<unsigned char>(byte),
                      static_cast<std::uint64_t>(count));
  }

  tuner_error set_memory(std::uintptr_t to, unsigned char byte, std::uint64_t count) const {
    if (count == 0) return TUNER_OK;
    if (m_call.driver == nullptr) {
      std::memset(reinterpret_cast<void*>(to), byte, count);
      return TUNER_OK;
    }
    const CuResult result = m_call.driver->memset_async(to, byte, count, m_call.stream);
    return result == 0 ? TUNER_OK
                       : driver_failed(*m_call.driver, TUNER_CANNOT_LAUNCH, result, "setting memory");
  }

  tuner_error extents(const Code (&codes)[3], const char* what, const Limit (&most)[3],
                      unsigned (&result)[3]) const {
    for (int i = 0; i < 3; ++i) {
      std::int64_t side = 1;
      if (const tuner_error error = m_scene.number(codes[i], 1, what, side); error != TUNER_OK) return error;
      const std::int64_t limit = m_limits[static_cast<std::uint32_t>(most[i])];
      if (side < 1 || side > limit)
        return fail(TUNER_BEYOND_LIMITS, "%s.%c is %lld; 1 to %lld are allowed", what, "xyz"[i],
                    static_cast<long long>(side), static_cast<long long>(limit));
      result[i] = static_cast<unsigned>(side);
    }
    return TUNER_OK;
  }

  std::int64_t limit(Limit which) const { return m_limits[static_cast<std::uint32_t>(which)]; }

  struct Shape {
    unsigned grid[3];
    unsigned block[3];
    unsigned cluster[3];
    std::int64_t shared_bytes = 0;
    std::int64_t cooperative = 0;
    std::int64_t overlap = 0;
    std::int64_t carveout = -1;
  };

  tuner_error shape_of(const StepRecord& step, Shape& shape) const {
    constexpr Limit of_grid[3] = {Limit::max_grid_x, Limit::max_grid_y, Limit::max_grid_z};
    constexpr Limit of_block[3] = {Limit::max_block_x, Limit::max_block_y, Limit::max_block_z};
    tuner_error error = extents(step.grid, "grid", of_grid, shape.grid);
    if (error == TUNER_OK) error = extents(step.block, "block", of_block, shape.block);
    if (error == TUNER_OK) error = extents(step.cluster, "cluster", of_grid, shape.cluster);
    if (error == TUNER_OK)
      error = m_scene.number(step.dynamic_shared_bytes, 0, "dynamic_shared_bytes", shape.shared_bytes);
    if (error == TUNER_OK) error = m_scene.number(step.cooperative, 0, "cooperative", shape.cooperative);
    if (error == TUNER_OK) error = m_scene.number(step.overlap, 0, "overlap", shape.overlap);
    if (error == TUNER_OK)
      error = m_scene.number(step.shared_carveout, -1, "shared_carveout", shape.carveout);
    if (error != TUNER_OK) return error;
    const std::int64_t threads = std::int64_t{shape.block[0]} * shape.block[1] * shape.block[2];
    if (threads > limit(Limit::max_threads_per_block))
      return fail(TUNER_BEYOND_LIMITS, "a block of %lld threads", static_cast<long long>(threads));
    if (shape.shared_bytes < 0 || shape.shared_bytes > limit(Limit::max_shared_bytes_per_block))
      return fail(TUNER_BEYOND_LIMITS, "%lld bytes of dynamic shared memory",
                  static_cast<long long>(shape.shared_bytes));
    for (int i = 0; i < 3; ++i) {
      if (shape.grid[i] % shape.cluster[i] != 0)
        return fail(TUNER_BEYOND_LIMITS, "clusters of %u do not divide a grid of %u", shape.cluster[i],
                    shape.grid[i]);
    }
    if (shape.carveout >= -1 && shape.carveout <= 100) return TUNER_OK;
    return fail(TUNER_BEYOND_LIMITS, "shared_carveout %lld", static_cast<long long>(shape.carveout));
  }

  tuner_error run_launch(const StepRecord& step) {
    Shape shape;
    if (const tuner_error error = shape_of(step, shape); error != TUNER_OK) return error;
    std::uint32_t used = 0;
    for (std::uint32_t i = 0; i < step.operands.count; ++i) {
      const OperandRecord& operand = m_pack.operands()[step.operands.first + i];
      const std::uint32_t unit = operand_alignment(operand);
      used = (used + unit - 1) / unit * unit;
      std::memset(m_values + used, 0, operand_bytes_of(m_pack, m_kernel, operand));
      if (const tuner_error error = set_operand(m_scene, operand, m_values + used); error != TUNER_OK)
        return error;
      m_pointers[i] = m_values + used;
      used += (operand_bytes_of(m_pack, m_kernel, operand) + 15) / 16 * 16;
    }
    Loaded::Function& function = m_loaded.functions[step.function];
    if (m_call.driver == nullptr) {
      if (shape.cooperative != 0 || shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 1)
        return fail(TUNER_CANNOT_LAUNCH, "cooperative grids and clusters do not run on the CPU");
      const CpuLaunch launch = {function.host_kernel,
                                {shape.grid[0], shape.grid[1], shape.grid[2]},
                                {shape.block[0], shape.block[1], shape.block[2]},
                                static_cast<std::size_t>(shape.shared_bytes),
                                m_pointers,
                                step.operands.count};
      return run_on_cpu(launch);
    }
    const tuner_error error = set_attributes(function, shape);
    return error == TUNER_OK ? queue(function.function, shape) : error;
  }

  /// Told to the driver where it was not yet. Threads that want different ones of one function take turns.
  tuner_error set_attributes(Loaded::Function& function, const Shape& shape) const {
    constexpr std::int64_t without_opt_in = 48 << 10;
    const int bytes = static_cast<int>(shape.shared_bytes);
    const int carveout = static_cast<int>(shape.carveout);
    const bool wants_bytes = function.static_bytes + shape.shared_bytes > without_opt_in &&
                             function.dynamic_bytes.load(std::memory_order_acquire) < bytes;
    const bool wants_carveout = function.carveout.load(std::memory_order_acquire) != carveout;
    if (!wants_bytes && !wants_carveout) return TUNER_OK;
    const Driver& driver = *m_call.driver;
    pthread_mutex_lock(&m_call.kernel.pack->changing);
    CuResult result = 0;
    if (wants_bytes && function.dynamic_bytes.load(std::memory_order_relaxed) < bytes) {
      result = driver.func_set_attribute(function.function, function_most_dynamic_bytes, bytes);
      if (result == 0) function.dynamic_bytes.store(bytes, std::memory_order_release);
    }
    if (wants_carveout && result == 0) {
      result = driver.func_set_attribute(function.function, function_carveout, carveout);
      if (result == 0) function.carveout.store(carveout, std::memory_order_release);
    }
    pthread_mutex_unlock(&m_call.kernel.pack->changing);
    return result == 0 ? TUNER_OK
                       : driver_failed(driver, TUNER_CANNOT_LAUNCH, result, "asking for shared memory");
  }

  tuner_error queue(CuFunction function, const Shape& shape) {
    CuLaunchAttribute attributes[3] = {};
    unsigned count = 0;
    if (shape.overlap != 0) {
      attributes[count].id = attribute_overlap;
      attributes[count++].value.flag = 1;
    }
    if (shape.cooperative != 0) {
      attributes[count].id = attribute_cooperative;
      attributes[count++].value.flag = 1;
    }
    const unsigned(&cluster)[3] = shape.cluster;
    if (cluster[0] * cluster[1] * cluster[2] > 1) {
      attributes[count].id = attribute_cluster;
      attributes[count++].value.cluster = {cluster[0], cluster[1], cluster[2]};
    }
    const CuLaunchConfig config = {shape.grid[0],
                                   shape.grid[1],
                                   shape.grid[2],
                                   shape.block[0],
                                   shape.block[1],
                                   shape.block[2],
                                   static_cast<unsigned>(shape.shared_bytes),
                                   m_call.stream,
                                   attributes,
                                   count};
    const CuResult result = m_call.driver->launch_kernel(&config, function, m_pointers, nullptr);
    return result == 0 ? TUNER_OK
                       : driver_failed(*m_call.driver, TUNER_CANNOT_LAUNCH, result,
                                       m_pack.text(m_configuration.kernel));
  }

  const Call& m_call;
  const PackView& m_pack;
  const KernelRecord& m_kernel;
  const ConfigurationRecord& m_configuration;
  Loaded& m_loaded;
  const std::int64_t* m_limits;
  Scene m_scene;
  void* m_pointers[most_operands];
  alignas(128) std::uint8_t m_values[most_operand_bytes];
};

}  // namespace

tuner_error run(const Call& call, const PackView& pack, const ConfigurationRecord& configuration,
                Loaded& loaded, const std::int64_t* sizes) {
  return Run(call, pack, configuration, loaded).run(sizes);
}

}  // namespace tuner::use
