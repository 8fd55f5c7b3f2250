// Variables of binaries, kinds of memory, tensor maps, textures and surfaces.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/device/gpu.hpp"

using tests::address_operand;
using tests::buffer_operand;
using tests::filled;
using tests::gpu;
using tests::integer_operand;
using tests::launch;
using tuner::device::DeviceFault;
using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::Memory;
using tuner::model::Operand;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::device::cuda places") {
  namespace {

  const char* const with_variables = R"(
namespace space { __constant__ float in[40]; }
__device__ float out[37];
extern "C" __global__ void move_through() { if (threadIdx.x < 37) out[threadIdx.x] = space::in[threadIdx.x]; }
)";

  const char* const with_maps = R"(
#include <cuda.h>
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace bulk = cuda::device::experimental;
extern "C" __global__ void through_maps(const __grid_constant__ CUtensorMap from,
                                        const __grid_constant__ CUtensorMap to) {
  __shared__ __align__(128) float tile[8][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier arrived;
  init(&arrived, 1);
  bulk::fence_proxy_async_shared_cta();
  const int x = blockIdx.x * 32, y = blockIdx.y * 8;
  bulk::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, x, y, arrived);
  arrived.wait(cuda::device::barrier_arrive_tx(arrived, 1, sizeof tile));
  bulk::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, &tile);
  bulk::cp_async_bulk_commit_group();
  bulk::cp_async_bulk_wait_group_read<0>();
}
)";

  const char* const with_lines = R"(
#include <cuda.h>
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace bulk = cuda::device::experimental;
extern "C" __global__ void through_lines(const __grid_constant__ CUtensorMap from,
                                         const __grid_constant__ CUtensorMap to) {
  __shared__ __align__(128) float tile[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier arrived;
  init(&arrived, 1);
  bulk::fence_proxy_async_shared_cta();
  const int x = blockIdx.x * 128;
  bulk::cp_async_bulk_tensor_1d_global_to_shared(&tile, &from, x, arrived);
  arrived.wait(cuda::device::barrier_arrive_tx(arrived, 1, sizeof tile));
  bulk::cp_async_bulk_tensor_1d_shared_to_global(&to, x, &tile);
  bulk::cp_async_bulk_commit_group();
  bulk::cp_async_bulk_wait_group_read<0>();
}
)";

  const char* const with_textures = R"(
extern "C" __global__ void read_plane(cudaTextureObject_t image, float* out, int width) {
  const int i = threadIdx.x;
  out[3 * i] = tex2D<float>(image, i % width + 0.5f, i / width + 0.5f);
  out[3 * i + 1] = tex2D<float>(image, i % width + 1.0f, i / width + 0.5f);  // between two pixels
  out[3 * i + 2] = tex2D<float>(image, -5.0f, i / width + 0.5f);
}
extern "C" __global__ void read_line(cudaTextureObject_t line, float* out) {
  const uchar2 pair = tex1Dfetch<uchar2>(line, threadIdx.x);
  out[threadIdx.x] = 256 * pair.x + pair.y;
}
)";

  const char* const with_surfaces = R"(
extern "C" __global__ void move_on(cudaTextureObject_t before, cudaSurfaceObject_t sums, int height) {
  const int x = threadIdx.x;
  for (int y = 0; y < height; ++y) {
    const float sum = surf2Dread<float>(sums, 4 * x, y) + tex2D<float>(before, x + 0.5f, y + 0.5f);
    surf2Dwrite(sum, sums, 4 * x, y);
  }
}
)";

  /// A view of buffer `index`, 7 floats of each row of 9, in an array.
  Operand array_operand(int index, bool is_surface, std::int64_t rows) {
    Operand operand = buffer_operand(index);
    operand.kind = Operand::Kind::texture;
    operand.type = ElementType::float32;
    operand.texture = {{7, rows}, 36};
    operand.texture->in_array = true;
    operand.texture->is_surface = is_surface;
    return operand;
  }

  constexpr std::int64_t width = 100;  // no multiple of the box
  constexpr std::int64_t height = 45;

  Operand map_operand(int buffer) {
    Operand operand = buffer_operand(buffer);
    operand.kind = Operand::Kind::tensor_map;
    operand.type = ElementType::float32;
    operand.tensor = {{width, height}, {4 * width}, {32, 8}, {1, 1}, 0, 0, 128, false};
    return operand;
  }

  bool has_tensor_maps() {
    return gpu().device->info().compute_major >= 9;
  }

  std::vector<float> contents(tuner::device::Address address, std::int64_t elements) {
    std::vector<float> out(static_cast<std::size_t>(elements));
    gpu().device->read(address, std::as_writable_bytes(std::span(out)));
    return out;
  }

  }  // namespace

  TEST_CASE("variables of a binary are found, filled and read, each module's its own") {
    const std::vector<std::string> entries = {"move_through", "&space::in", "&out"};
    const auto loaded = tests::load(with_variables, entries);
    const auto other = tests::load(with_variables, entries);
    const auto symbol = [&](const char* entry) { return loaded.compilation.find(entry)->symbol; };
    const auto in = loaded.module->variable(symbol("&space::in"));
    const auto out = loaded.module->variable(symbol("&out"));
    CHECK(in.bytes == 160);
    CHECK(out.bytes == 148);
    std::vector<float> values(40);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.5F;
    gpu().device->write(in.address, std::as_bytes(std::span(values)));
    tests::bind(loaded, {launch("move_through", 1, 64, {})})->run(1);
    values.resize(37);
    CHECK(contents(out.address, 37) == values);
    CHECK(other.module->variable(symbol("&space::in")).address != in.address);
    CHECK(contents(other.module->variable(symbol("&out")).address, 37) == std::vector<float>(37));
    CHECK_THROWS_AS(static_cast<void>(loaded.module->variable("nothing")), DeviceFault);
  }

  TEST_CASE("pinned and managed memory is filled, compared and summed like the device's own") {
    constexpr std::int64_t elements = 5003;
    const Init numbers = {Init::Kind::uniform, -1, 1};
    const auto plain = filled(ElementType::float32, elements, numbers);
    const auto exact = filled(ElementType::float64, elements, numbers);
    for (const Memory memory : {Memory::device, Memory::pinned, Memory::managed}) {
      auto& device = *gpu().device;
      const auto buffer = device.allocate_in(memory, 4 * elements);
      device.fill(buffer->address(), ElementType::float32, elements, numbers, 1);
      CHECK(device.checksum(buffer->address(), 4 * elements) ==
            device.checksum(plain->address(), 4 * elements));
      const std::vector<float> copy = contents(buffer->address(), elements);
      CHECK(copy == contents(plain->address(), elements));
      device.write(buffer->address(), std::as_bytes(std::span(copy)));
      CHECK(device.checksum(buffer->address(), 4 * elements) ==
            device.checksum(plain->address(), 4 * elements));
    }
  }

  TEST_CASE("a matrix goes through two tensor maps, edges included") {
    if (!has_tensor_maps()) return;
    const auto loaded = tests::load(with_maps, {"through_maps"});
    const auto from = filled(ElementType::float32, width * height, {Init::Kind::uniform, -1, 1});
    const auto to = filled(ElementType::float32, width * height, {});
    auto step = launch("through_maps", (width + 31) / 32, 1, {map_operand(0), map_operand(1)});
    step.grid.y = (height + 7) / 8;
    tuner::device::Bindings bindings;
    bindings.buffers = {from->address(), to->address()};
    gpu().device->bind(*loaded.module, loaded.compilation.kernels, {step}, {}, bindings)->run(1);
    CHECK(contents(to->address(), width * height) == contents(from->address(), width * height));
  }

  TEST_CASE("a vector of odd length goes through two tensor maps of one dimension") {
    if (!has_tensor_maps()) return;
    constexpr std::int64_t length = 2343;
    const auto loaded = tests::load(with_lines, {"through_lines"});
    const auto from = filled(ElementType::float32, length, {Init::Kind::uniform, -1, 1});
    const auto to = filled(ElementType::float32, length, {});
    const auto line = [&](int buffer) {
      Operand operand = map_operand(buffer);
      operand.tensor = {{length}, {}, {128}, {1}, 0, 0, 0, false};
      return operand;
    };
    tuner::device::Bindings bindings;
    bindings.buffers = {from->address(), to->address()};
    gpu()
        .device
        ->bind(*loaded.module, loaded.compilation.kernels,
               {launch("through_lines", (length + 127) / 128, 1, {line(0), line(1)})}, {}, bindings)
        ->run(1);
    CHECK(contents(to->address(), length) == contents(from->address(), length));
  }

  TEST_CASE("a tensor map that the driver refuses is unlaunchable") {
    if (!has_tensor_maps()) return;
    const auto loaded = tests::load(with_maps, {"through_maps"});
    const auto memory = filled(ElementType::float32, width * height + 1, {});
    tuner::device::Bindings bindings;
    bindings.buffers = {memory->address() + 4, memory->address()};  // not aligned to 16 bytes
    try {
      gpu().device->bind(*loaded.module, loaded.compilation.kernels,
                         {launch("through_maps", 1, 1, {map_operand(0), map_operand(1)})}, {}, bindings);
      FAIL("it was bound");
    } catch (const DeviceFault& fault) {
      CHECK(fault.status() == TrialStatus::unlaunchable);
      CHECK_FALSE(fault.lost());
    }
  }

  TEST_CASE("a plane is read through a texture that interpolates, edges repeated") {
    const auto loaded = tests::load(with_textures, {"read_plane"});
    const auto image = filled(ElementType::float32, 64, {Init::Kind::iota, 0, 1});  // 8 rows of 8
    const auto out = filled(ElementType::float32, 3 * 64, {});
    Operand texture = buffer_operand(0);
    texture.kind = Operand::Kind::texture;
    texture.type = ElementType::float32;
    texture.texture = {{8, 8}, 32, tuner::model::Texture::Outside::clamp, true, false, false};
    tuner::device::Bindings bindings;
    bindings.buffers = {image->address(), out->address()};
    gpu()
        .device
        ->bind(*loaded.module, loaded.compilation.kernels,
               {launch("read_plane", 1, 64, {texture, buffer_operand(1), integer_operand(8)})}, {}, bindings)
        ->run(1);
    const std::vector<float> got = contents(out->address(), 3 * 64);
    for (std::size_t i = 0; i < 64; ++i) {
      CHECK(got[3 * i] == static_cast<float>(i));
      CHECK(got[3 * i + 1] == static_cast<float>(i) + (i % 8 == 7 ? 0.0F : 0.5F));
      CHECK(got[3 * i + 2] == static_cast<float>(i / 8 * 8));
    }
  }

  TEST_CASE("a surface adds up in its array, which its buffer meets when told to, gaps left alone") {
    const auto loaded = tests::load(with_surfaces, {"move_on"});
    constexpr std::int64_t rows = 5;
    const auto before = filled(ElementType::float32, 9 * rows, {Init::Kind::iota, 0, 1});
    const auto sums = filled(ElementType::float32, 9 * rows, {Init::Kind::constant, 100, 0});
    tuner::device::Bindings bindings;
    bindings.buffers = {before->address(), sums->address()};
    const auto step =
        launch("move_on", 1, 7,
               {array_operand(0, false, rows), array_operand(1, true, rows), integer_operand(rows)});
    const auto sequence =
        gpu().device->bind(*loaded.module, loaded.compilation.kernels, {step}, {}, bindings);
    const auto check = [&](float times) {
      const std::vector<float> got = contents(sums->address(), 9 * rows);
      for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(got[i] == 100 + (i % 9 < 7 ? times * static_cast<float>(i) : 0.0F));
    };
    sequence->run(2);
    check(0);
    sequence->collect_arrays();
    check(2);
    sequence->run(1);
    sequence->fill_arrays();  // as the buffer is, after two runs
    sequence->run(1);
    sequence->collect_arrays();
    check(3);
    CHECK(contents(before->address(), 1) == std::vector<float>{0});
  }

  TEST_CASE("an array that the driver refuses is unlaunchable, and the limit is named") {
    const auto loaded = tests::load(with_surfaces, {"move_on"});
    const auto memory = filled(ElementType::float32, 63, {});
    tuner::device::Bindings bindings;
    bindings.buffers = {memory->address(), memory->address()};
    constexpr std::int64_t too_many = 1'000'000;
    const auto step =
        launch("move_on", 1, 1,
               {array_operand(0, false, too_many), array_operand(1, true, too_many), integer_operand(1)});
    try {
      gpu().device->bind(*loaded.module, loaded.compilation.kernels, {step}, {}, bindings);
      FAIL("it was bound");
    } catch (const DeviceFault& fault) {
      CHECK(fault.status() == TrialStatus::unlaunchable);
      CHECK_FALSE(fault.lost());
      CHECK(std::string(fault.what()).find("a texture of 1000000 rows; this device takes ") !=
            std::string::npos);
    }
  }

  TEST_CASE("a plane of more columns than textures may have is unlaunchable, and the limit is named") {
    const auto loaded = tests::load(with_textures, {"read_plane"});
    constexpr std::int64_t columns = 1'000'000;
    const auto image = filled(ElementType::float32, columns, {});
    Operand texture = buffer_operand(0);
    texture.kind = Operand::Kind::texture;
    texture.type = ElementType::float32;
    texture.texture = {{columns, 1}, 4 * columns};
    tuner::device::Bindings bindings;
    bindings.buffers = {image->address(), image->address()};
    try {
      gpu().device->bind(*loaded.module, loaded.compilation.kernels,
                         {launch("read_plane", 1, 1, {texture, buffer_operand(1), integer_operand(8)})}, {},
                         bindings);
      FAIL("it was bound");
    } catch (const DeviceFault& fault) {
      CHECK(fault.status() == TrialStatus::unlaunchable);
      CHECK_FALSE(fault.lost());
      CHECK(std::string(fault.what()).find("a texture of 1000000 columns; this device takes ") !=
            std::string::npos);
    }
  }

  TEST_CASE("pairs of bytes are read through a texture of linear memory") {
    const auto loaded = tests::load(with_textures, {"read_line"});
    const auto line = filled(ElementType::uint8, 64, {Init::Kind::iota, 0, 1});
    const auto out = filled(ElementType::float32, 32, {});
    Operand texture = buffer_operand(0);
    texture.kind = Operand::Kind::texture;
    texture.type = ElementType::uchar2;
    texture.texture = {{32}};
    tuner::device::Bindings bindings;
    bindings.buffers = {line->address(), out->address()};
    gpu()
        .device
        ->bind(*loaded.module, loaded.compilation.kernels,
               {launch("read_line", 1, 32, {texture, buffer_operand(1)})}, {}, bindings)
        ->run(1);
    const std::vector<float> got = contents(out->address(), 32);
    for (std::size_t i = 0; i < 32; ++i) CHECK(got[i] == static_cast<float>(256 * 2 * i + 2 * i + 1));
  }
}
