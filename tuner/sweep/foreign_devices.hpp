#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/finalist.hpp"

namespace tuner::sweep {

/// GPUs that measured earlier results and are not of this sweep. Before those results are held against the
/// ones of here, the best trial of each such GPU runs here, which tells how much slower that GPU is.
class ForeignDevices {
 public:
  /// The references must outlive the object.
  ForeignDevices(const Request& request, Services& services, CompileAhead& compiling, DeviceSpread& spread)
      : m_request(request),
        m_services(services),
        m_compiler(request, services, compiling),
        m_spread(spread) {}

  /// Whether the field has results of GPUs that were not compared with those of here; they will be.
  bool begin(const model::PossibleFinal& field);
  /// A foreign trial, to be run on a device of this sweep.
  struct Comparison {
    std::string gpu;  ///< uuid
    model::TrialJob job;
  };
  /// Nothing: there is none now.
  std::optional<Comparison> claim();
  /// It was not run: another time, or on another device.
  void give_back(const std::string& gpu) { --m_foreign.at(gpu).claimed; }
  /// What it took on device `number`; nothing: it gave no time.
  void end(const std::string& gpu, std::size_t number, std::optional<DeviceSpread::Taken> run);
  /// The compilers were told to forget what they had: has it compiled again.
  void compile_again();
  /// Those not compared yet.
  std::size_t count() const { return m_foreign.size(); }

 private:
  struct Foreign {
    Finalist best;
    std::size_t claimed = 0;  ///< runs under way
    std::vector<DeviceSpread::Taken> runs;
    bool is_hopeless = false;  ///< its trial cannot be run here any more
  };

  void conclude(const std::string& gpu);

  const Request& m_request;
  Services& m_services;
  FinalistCompiler m_compiler;
  DeviceSpread& m_spread;
  std::map<std::string, Foreign> m_foreign;  ///< by uuid
};

}  // namespace tuner::sweep
