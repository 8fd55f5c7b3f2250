#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"

namespace tuner::sweep {

/// How far apart the devices of one sweep are, by what the same trial takes on each of them, and those that
/// measured what is known from before. Devices are numbered as in Services::runners.
class DeviceSpread {
 public:
  /// What a run takes, or one device's by another's.
  struct Taken {
    double ns = 0;
    double j = 0;  ///< 0: not told
  };
  using What = double Taken::*;
  static Taken of(const model::TrialOutcome& outcome);
  /// Whether the trial can tell devices apart: launch latency differs from host to host and time to time, by
  /// a ratio that says nothing of longer trials.
  static bool can_tell_by(const model::TrialOutcome& outcome);
  /// Of each device; their median counts.
  static constexpr std::size_t runs = 3;
  static double middle_of(std::vector<Taken> runs, What what);
  /// What differs by no more counts as tied.
  static constexpr double tied_within = 0.01;

  /// Two GPUs of one name whose times were not compared may be apart by as much.
  static constexpr double unlike = 1.25;

  explicit DeviceSpread(std::vector<std::string> uuids)
      : m_uuids(std::move(uuids)), m_runs(m_uuids.size()), m_left(m_uuids.size(), 0) {}

  /// Each device is to run the trial now; once is enough for a sweep. `name`: the trial's, for people.
  void begin(model::TrialJob job = {}, std::string name = "");
  const model::TrialJob& job() const { return m_job; }
  bool has_begun() const { return m_begun; }
  /// Whether some device has not run it often enough.
  bool is_under_way() const;
  /// Whether the device is to run it now; says so once a run.
  bool claim(std::size_t device);
  /// How a claimed run ended: nothing where it gave no time, and then the device stays uncompared.
  void add(std::size_t device, std::optional<Taken> run);
  /// The device is not there any more.
  void leave(std::size_t device);
  /// What came of it, for people. `ids`: by device; empty: it is not there.
  std::string text(const std::vector<std::string>& ids) const;
  /// No more of it is run; who has not run it often enough stays uncompared.
  void end();

  /// Times (or energies) of the device over those of the first that was compared; 1 where it was not.
  double ratio(std::size_t device, What what = &Taken::ns) const;
  /// Between the slowest and the fastest; 1 where fewer than two were compared.
  double widest(What what = &Taken::ns) const;
  /// What a time of the device is divided by to be compared with another's: 1 as long as all are tied.
  double correction(std::size_t device, What what = &Taken::ns) const {
    return corrects(what) ? ratio(device, what) : 1;
  }
  bool corrects(What what = &Taken::ns) const { return widest(what) > 1 + tied_within; }

  /// A GPU that measured results of before and is not of this sweep: what it takes by the first device.
  void add_foreign(const std::string& uuid, const Taken& ratio) { m_foreign[uuid] = ratio; }
  /// correction() of the GPU that measured a result; of an unknown one (empty) 1. Nothing where it is not of
  /// this sweep and was not compared.
  std::optional<double> correction_of(const std::string& uuid, What what = &Taken::ns) const;

 private:
  std::optional<double> median(std::size_t device, What what) const;

  model::TrialJob m_job;
  std::string m_name;
  std::vector<std::string> m_uuids;        ///< by device
  std::map<std::string, Taken> m_foreign;  ///< by uuid
  std::vector<std::vector<Taken>> m_runs;  ///< by device
  std::vector<std::size_t> m_left;         ///< runs not claimed yet, by device
  std::size_t m_claimed = 0;               ///< runs under way
  bool m_begun = false;
};

/// What a trial may be dropped for: the best time of its problem so far, as its own device would take it, and
/// no less than it is recorded with: what a fast device drops is to be seen slower by the records
/// too. Of another objective: the time from which on it cannot be better. That is a statement about the
/// device that measured the best, what it draws when it idles included, so other devices' times are held
/// against it as that one would take them.
class BestTimes {
 public:
  /// The references must outlive the object.
  BestTimes(const Request& request, Services& services, const DeviceSpread& spread)
      : m_request(request), m_services(services), m_spread(spread) {}

  /// In ns; 0: there is none yet, or it is not dropped. A baseline is never dropped, nor is a trial for one.
  double of(const CompiledTrial& trial, std::size_t device);
  void learn(const CompiledTrial& trial, std::size_t device);

 private:
  struct Best {
    double corrected_ns = 0;  ///< as the first device would take it; 0: none yet
    double recorded_ns = 0;   ///< whichever device took it
    double before_ns = 0;     ///< what was known before the sweep
    std::string before_gpu;   ///< that measured it
  };
  BestByEnergy& by_energy(const CompiledTrial& trial);
  Best before(const model::TrialRecord& record) const;

  const Request& m_request;
  Services& m_services;
  const DeviceSpread& m_spread;
  std::map<std::size_t, Best> m_best;  ///< by group
  std::map<std::size_t, BestByEnergy> m_by_energy;
};

}  // namespace tuner::sweep
