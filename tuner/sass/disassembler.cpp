#include "tuner/sass/disassembler.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sass {
namespace {

constexpr std::size_t most_listing_bytes = std::size_t{64} << 20U;
constexpr const char* hint =
    "install the CUDA toolkit's nvdisasm (or `pip install nvidia-cuda-nvdisasm`), and name it with "
    "TUNER_NVDISASM where it is in another place";

}  // namespace

Disassembler::Disassembler(const std::vector<std::string>& places, std::chrono::milliseconds limit)
    : m_limit(limit) {
  for (const std::string& place : places) {
    if (const auto program = util::find_program(place)) {
      m_program = program->string();
      return;
    }
  }
  throw model::Error(fmt::format("machine code is read with nvdisasm, which was not found. Looked for:\n  {}",
                                 fmt::join(places, "\n  ")),
                     hint);
}

std::string Disassembler::listing(std::span<const std::byte> cubin) const {
  const util::TemporaryFolder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  folder.write("kernel.cubin", bytes);
  util::CommandResult result =
      util::run_command({m_program, "-c", "-g", "kernel.cubin"}, folder.path(), m_limit,
                        util::CommandGroup::own, util::ProcessorTime::limited, most_listing_bytes);
  if (result.timed_out) {
    throw model::Error(
        fmt::format("{} did not finish within {} s", m_program, static_cast<double>(m_limit.count()) / 1000));
  }
  if (result.exit_code != 0) {
    std::string_view said = util::trimmed(result.output);
    throw model::Error(fmt::format("{} cannot read the binary: {}", m_program,
                                   said.empty() ? fmt::format("it ended with signal {}", result.signal)
                                                : std::string(util::split_first(said, "\n"))),
                       "an nvdisasm as new as the compiler knows the binary's architecture; TUNER_NVDISASM "
                       "names another");
  }
  if (result.output.size() >= most_listing_bytes)
    throw model::Error(
        fmt::format("the machine code is longer than {} MiB as text", most_listing_bytes >> 20U));
  return std::move(result.output);
}

}  // namespace tuner::sass
