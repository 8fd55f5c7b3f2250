#include "db/living_runs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <cerrno>

namespace db {
namespace {

using tuner::model::Digest;
using tuner::util::FileDescriptor;

constexpr const char* path = "/tmp/tuner-runs.lock";

/// Opened without O_CREAT first: in a sticky folder the kernel refuses O_CREAT on another user's file.
FileDescriptor open_file() {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  FileDescriptor file(::open(path, flags));
  if (file || errno != ENOENT) return file;
  FileDescriptor created(::open(path, flags | O_CREAT | O_EXCL, 0666));
  if (!created && errno == EEXIST) return FileDescriptor(::open(path, flags));
  if (created) ::fchmod(created.get(), 0666);  // whatever the umask: other users lock it too
  return created;
}

struct flock byte_of(const Digest& run) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(tuner::model::DigestHash{}(run) >> 2U);
  lock.l_len = 1;
  return lock;
}

}  // namespace

LivingRun::LivingRun(const Digest& run) : m_file(open_file()) {
  struct flock lock = byte_of(run);
  if (m_file) static_cast<void>(::fcntl(m_file.get(), F_OFD_SETLK, &lock));
}

bool is_abandoned(const Digest& run, const std::string& state, const std::string& host) {
  struct utsname name {};
  if (state != "running" || ::uname(&name) != 0 || host != name.nodename) return false;
  const FileDescriptor file(::open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return errno == ENOENT;
  struct flock lock = byte_of(run);
  return ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

bool is_abandoned(const tuner::model::RunRecord& run) {
  return is_abandoned(run.id, run.state, run.host);
}

}  // namespace db
