#include "db/file_system.hpp"

#include <sys/vfs.h>

#include <array>
#include <cstdint>

namespace db {
namespace {

struct Kind {
  std::uint32_t magic;
  SharedFileSystem file_system;
};
// Numbers from linux/magic.h and the file systems' own sources. FUSE may be a container's overlay, NTFS or
// sshfs; 9P a folder of the host that a virtual machine runs on; GFS2 and OCFS2 keep POSIX locks for all
// their machines.
constexpr std::array kinds = {
    Kind{0x00006969, {"NFS", true}},   Kind{0x0000517B, {"SMB", true}},
    Kind{0xFE534D42, {"SMB2", true}},  Kind{0xFF534D42, {"CIFS", true}},
    Kind{0x5346414F, {"AFS", true}},   Kind{0x73757245, {"Coda", true}},
    Kind{0x00C36400, {"Ceph", true}},  Kind{0x0BD00BD0, {"Lustre", true}},
    Kind{0x47504653, {"GPFS", true}},  Kind{0x19830326, {"BeeGFS", true}},
    Kind{0xAAD7AAEA, {"PanFS", true}}, Kind{0x65735546, {"FUSE", false}},
    Kind{0x01021997, {"9P", false}},   Kind{0x786F4256, {"vboxsf", false}},
    Kind{0x01161970, {"GFS2", false}}, Kind{0x7461636F, {"OCFS2", false}},
};

}  // namespace

std::optional<SharedFileSystem> shared_file_system(long magic) {
  for (const Kind& kind : kinds) {
    // f_type is signed and as wide as a word: compare the 32 bits that mean something.
    if (static_cast<std::uint32_t>(magic) == kind.magic) return kind.file_system;
  }
  return std::nullopt;
}

std::optional<SharedFileSystem> shared_file_system_of(const std::filesystem::path& path) {
  struct statfs status {};
  for (std::filesystem::path place = std::filesystem::absolute(path);; place = place.parent_path()) {
    if (statfs(place.c_str(), &status) == 0) return shared_file_system(static_cast<long>(status.f_type));
    if (place == place.parent_path()) return std::nullopt;
  }
}

}  // namespace db
