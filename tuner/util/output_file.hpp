#pragma once
#include <string>
#include <string_view>

namespace tuner::util {

/// Writes `text` where `path` leads. A regular file, or one that is not there yet, appears whole by renaming
/// a temporary file beside it; a symbolic link is followed and stays a link. Devices, pipes and sockets are
/// written to and never replaced. Throws model::Error naming the path, with `hint` as the next step.
void write_file(const std::string& path, std::string_view text, const std::string& hint = "");

/// Throws the error that write_file() would end with as far as that can be known before there is anything to
/// write: a folder, a missing or protected place. Writes nothing.
void require_writable(const std::string& path, const std::string& hint = "");

/// Whether write_file() would make or replace a regular file there; not where it would write to a device, a
/// pipe or what a process has open (/dev/stdout). Throws as require_writable() for what leads nowhere.
bool leads_to_file(const std::string& path);

}  // namespace tuner::util
