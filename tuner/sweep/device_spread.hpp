#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tuner::sweep {

/// How far apart the devices of one sweep are, by the times of the same trial on each of them. Devices are
/// numbered as in Services::runners.
class DeviceSpread {
 public:
  /// Of each device; their median counts.
  static constexpr std::size_t runs = 3;
  /// What differs by no more counts as tied.
  static constexpr double tied_within = 0.01;

  explicit DeviceSpread(std::size_t devices) : m_times(devices), m_left(devices, 0) {}

  /// Each device is to run the trial now; once is enough for a sweep.
  void begin();
  bool has_begun() const { return m_begun; }
  /// Whether some device has not run it often enough.
  bool is_under_way() const;
  /// Whether the device is to run it now; says so once a run.
  bool claim(std::size_t device);
  /// How a claimed run ended: nothing where it gave no time, and then the device stays uncompared.
  void add(std::size_t device, std::optional<double> median_ns);
  /// The device is not there any more.
  void leave(std::size_t device);
  /// No more of it is run; who has not run it often enough stays uncompared.
  void end();

  /// Times of the device over those of the first that was compared; 1 where it was not.
  double ratio(std::size_t device) const;
  /// Between the slowest and the fastest; 1 where fewer than two were compared.
  double widest() const;
  /// What a time of the device is divided by to be compared with another's: 1 as long as all are tied.
  double correction(std::size_t device) const { return corrects() ? ratio(device) : 1; }
  bool corrects() const { return widest() > 1 + tied_within; }

 private:
  std::optional<double> median_ns(std::size_t device) const;

  std::vector<std::vector<double>> m_times;  ///< by device
  std::vector<std::size_t> m_left;           ///< runs not claimed yet, by device
  std::size_t m_claimed = 0;                 ///< runs under way
  bool m_begun = false;
};

}  // namespace tuner::sweep
