#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tuner/device/cuda/cuda_device.hpp"

namespace tuner::device::cuda {
namespace {

constexpr int threads_per_block = 256;  // THREADS in support.cu
constexpr int blocks_per_multiprocessor = 8;
/// At least so far apart a step of a microsecond is less than a twentieth.
constexpr std::uint64_t least_clock_ns = 20'000;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

/// As in support.cu.
struct Comparands {
  CUdeviceptr got;
  CUdeviceptr expected;
  CUdeviceptr magnitude;
  std::uint64_t elements;
  CompareRule rule;
  int type;
  int ignore_unwritten;
  int other_poison;
};
static_assert(sizeof(Comparands) == 88 && sizeof(FillRequest) == 40 && sizeof(ClockReading) == 16);

}  // namespace

void require_cubin(std::span<const std::byte> binary) {
  constexpr std::array magic = {std::byte{0x7F}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  constexpr std::size_t header_bytes = 64;
  if (binary.size() >= header_bytes && std::equal(magic.begin(), magic.end(), binary.begin())) return;
  refuse(fmt::format("the {} bytes given as a binary are no cubin", binary.size()));
}

double mean_clock_mhz(const ClockReading& from, const ClockReading& to) {
  const bool both = from.nanoseconds != 0 && to.nanoseconds != 0;
  if (!both || to.nanoseconds < from.nanoseconds + least_clock_ns || to.cycles <= from.cycles) return 0;
  return 1e3 * static_cast<double>(to.cycles - from.cycles) /
         static_cast<double>(to.nanoseconds - from.nanoseconds);
}

SupportKernels::SupportKernels(std::shared_ptr<const Session> session, std::span<const std::byte> binary)
    : m_session(std::move(session)) {
  require_cubin(binary);
  m_module = m_session->load(binary.data());
  m_fill = find("tuner_fill");
  m_compare = find("tuner_compare");
  m_checksum = find("tuner_checksum");
  m_delay = find("tuner_delay");
  m_read_clock = find("tuner_read_clock");
  const Driver& driver = m_session->driver();
  check(driver,
        driver.device_get_attribute(&m_multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                    m_session->device()),
        "counting multiprocessors");
  m_most_blocks = std::max(1, m_multiprocessors * blocks_per_multiprocessor);
  m_result = m_session->allocate(result_words * sizeof(std::uint64_t));
  m_result_on_host = m_session->allocate_pinned(result_words * sizeof(std::uint64_t));
  m_clock = m_session->allocate_pinned(2 * sizeof(ClockReading));
  std::fill_n(clock_readings(), 2, ClockReading{});
}

CUfunction SupportKernels::find(const char* name) const {
  CUfunction function = nullptr;
  const Driver& driver = m_session->driver();
  check(driver, driver.module_get_function(&function, m_module.get(), name), "finding a support kernel");
  return function;
}

void SupportKernels::launch(CUfunction function, std::int64_t work, void** arguments,
                            const char* doing) const {
  const std::int64_t blocks = (work + threads_per_block - 1) / threads_per_block;
  const auto grid = static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, m_most_blocks));
  const Driver& driver = m_session->driver();
  check(driver,
        driver.launch_kernel(function, grid, 1, 1, threads_per_block, 1, 1, 0, m_session->stream(), arguments,
                             nullptr),
        doing);
}

void SupportKernels::fetch_result(const char* doing) const {
  const Driver& driver = m_session->driver();
  check(driver,
        driver.memcpy_dtoh_async(m_result_on_host.get(), m_result.get(), result_words * sizeof(std::uint64_t),
                                 m_session->stream()),
        doing);
  m_session->synchronize(doing);
}

std::span<const std::uint64_t> SupportKernels::result() const {
  return {static_cast<const std::uint64_t*>(m_result_on_host.get()), result_words};
}

void SupportKernels::fill(Address address, std::int64_t elements, const FillRequest& request) const {
  if (elements == 0) return;
  CUdeviceptr out = address;
  auto count = static_cast<std::uint64_t>(elements);
  FillRequest copy = request;
  std::array<void*, 3> arguments = {&out, &count, &copy};
  launch(m_fill, elements, arguments.data(), "filling a buffer");
}

Comparison SupportKernels::compare(const CompareRequest& request) const {
  const char* doing = "comparing an output with the reference";
  const Driver& driver = m_session->driver();
  // largest error 0, no wrong elements, and a first one beyond any index
  check(driver, driver.memset_d32_async(m_result.get(), 0, 4, m_session->stream()), doing);
  check(driver,
        driver.memset_d32_async(m_result.get() + 2 * sizeof(std::uint64_t), ~0U, 2, m_session->stream()),
        doing);
  const std::int64_t numbers = request.elements * model::components(request.type);
  Comparands comparands{request.got,
                        request.expected,
                        request.magnitude,
                        static_cast<std::uint64_t>(numbers),
                        rule_of(request),
                        static_cast<int>(model::component_type(request.type)),
                        request.ignore_unwritten ? 1 : 0,
                        request.other_poison ? 1 : 0};
  CUdeviceptr out = m_result.get();
  std::array<void*, 2> arguments = {&comparands, &out};
  launch(m_compare, numbers, arguments.data(), doing);
  fetch_result(doing);
  const auto found = result();
  return {std::bit_cast<double>(found[0]), static_cast<std::int64_t>(found[1]),
          found[2] == all_ones ? -1 : static_cast<std::int64_t>(found[2])};
}

std::uint64_t SupportKernels::checksum(Address address, std::int64_t bytes) const {
  const char* doing = "computing a checksum";
  const Driver& driver = m_session->driver();
  check(driver, driver.memset_d32_async(m_result.get(), 0, 2, m_session->stream()), doing);
  CUdeviceptr memory = address;
  auto count = static_cast<std::uint64_t>(bytes);
  CUdeviceptr out = m_result.get();
  std::array<void*, 3> arguments = {&memory, &count, &out};
  launch(m_checksum, bytes / 8 + 1, arguments.data(), doing);
  fetch_result(doing);
  return checksum_start(count) + result()[0];
}

void SupportKernels::delay(std::uint64_t nanoseconds) const {
  std::uint64_t duration = nanoseconds;
  std::array<void*, 1> arguments = {&duration};
  const Driver& driver = m_session->driver();
  check(driver,
        driver.launch_kernel(m_delay, 1, 1, 1, 1, 1, 1, 0, m_session->stream(), arguments.data(), nullptr),
        "delaying the stream");
}

/// Pinned memory has one address on host and device.
void SupportKernels::read_clock(ClockReading* into) const {
  auto out = reinterpret_cast<CUdeviceptr>(into);
  std::array<void*, 1> arguments = {&out};
  const Driver& driver = m_session->driver();
  check(driver,
        driver.launch_kernel(m_read_clock, static_cast<unsigned>(m_multiprocessors), 1, 1, 1, 1, 1, 0,
                             m_session->stream(), arguments.data(), nullptr),
        "reading the clock");
}

void SupportKernels::begin_clock() const {
  std::fill_n(clock_readings(), 2, ClockReading{});
  read_clock(clock_readings());
}

void SupportKernels::end_clock() const {
  read_clock(clock_readings() + 1);
}

double SupportKernels::clock_mhz() const {
  return mean_clock_mhz(clock_readings()[0], clock_readings()[1]);
}

}  // namespace tuner::device::cuda
