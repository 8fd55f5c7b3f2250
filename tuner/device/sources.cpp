#include "tuner/device/sources.hpp"

#include <fmt/format.h>

#include <fstream>

namespace tuner::device {

std::vector<std::byte> read_contents(const model::FileContents& file) {
  if (model::digest_of_file(file.path) != file.digest)
    refuse(fmt::format("{} is not what it was when the spec was read", file.path));
  std::vector<std::byte> contents(static_cast<std::size_t>(file.elements * model::size_bytes(file.type)));
  std::ifstream in(file.path, std::ios::binary);
  in.seekg(file.first_byte);
  in.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  if (!in) refuse(fmt::format("{} cannot be read", file.path));
  return contents;
}

std::vector<model::Step> with_seed(std::vector<model::Step> steps, std::uint64_t seed) {
  for (model::Step& step : steps) {
    for (model::Operand& operand : step.operands) {
      if (operand.kind != model::Operand::Kind::seed) continue;
      operand.kind = model::Operand::Kind::scalar;
      operand.type = model::ElementType::uint64;
      operand.integer = static_cast<std::int64_t>(seed);
    }
  }
  return steps;
}

}  // namespace tuner::device
