#include "tuner/device/cuda/arrays.hpp"

#include <algorithm>
#include <utility>

namespace tuner::device::cuda {

CUarray Arrays::array_of(const model::Operand& operand, Address address) {
  const model::Texture& view = *operand.texture;
  auto found = std::find_if(m_entries.begin(), m_entries.end(),
                            [&](const Entry& entry) { return entry.buffer == operand.buffer; });
  if (found == m_entries.end()) {
    Entry entry;
    entry.buffer = operand.buffer;
    entry.address = address;
    entry.row_bytes = static_cast<std::size_t>(view.shape.front() * model::size_bytes(operand.type));
    entry.pitch_bytes = static_cast<std::size_t>(view.pitch_bytes);
    entry.height = static_cast<std::size_t>(view.shape.back());
    entry.array = make(operand);
    found = m_entries.insert(m_entries.end(), std::move(entry));
  }
  found->has_surface |= view.is_surface;
  return found->array.get();
}

ArrayHandle Arrays::make(const model::Operand& operand) const {
  const model::Texture& view = *operand.texture;
  CUDA_ARRAY3D_DESCRIPTOR form = {};
  form.Width = static_cast<std::size_t>(view.shape.front());
  form.Height = static_cast<std::size_t>(view.shape.back());
  form.Format = format_of(operand.type);
  form.NumChannels = static_cast<unsigned>(model::components(operand.type));
  form.Flags = CUDA_ARRAY3D_SURFACE_LDST;  // a texture that shares it does not mind
  const Driver& driver = m_session->driver();
  CUarray array = nullptr;
  const CUresult result = driver.array_create(&array, &form);
  if (result == CUDA_ERROR_INVALID_VALUE) {
    throw DeviceFault(model::TrialStatus::unlaunchable, false,
                      refusal_of(*m_session, operand, "an array", result));
  }
  check(driver, result, "making an array");
  return {m_session->shared_driver(), array};
}

void Arrays::fill() const {
  const char* doing = "copying into an array";
  const Driver& driver = m_session->driver();
  for (const Entry& entry : m_entries) {
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;  // a buffer may be the host's
    copy.srcDevice = entry.address;
    copy.srcPitch = entry.pitch_bytes;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = entry.array.get();
    copy.WidthInBytes = entry.row_bytes;
    copy.Height = entry.height;
    check(driver, driver.memcpy_2d_async(&copy, m_session->stream()), doing);
  }
  if (!m_entries.empty()) m_session->synchronize(doing);
}

void Arrays::collect() const {
  const char* doing = "copying out of an array";
  const Driver& driver = m_session->driver();
  for (const Entry& entry : m_entries) {
    if (!entry.has_surface) continue;
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = entry.array.get();
    copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.dstDevice = entry.address;
    copy.dstPitch = entry.pitch_bytes;
    copy.WidthInBytes = entry.row_bytes;
    copy.Height = entry.height;
    check(driver, driver.memcpy_2d_async(&copy, m_session->stream()), doing);
  }
  if (!m_entries.empty()) m_session->synchronize(doing);
}

}  // namespace tuner::device::cuda
