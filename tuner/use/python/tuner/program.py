"""The program `tuner`: where it lies, and how it is run from Python."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig

__all__ = ["TuneError", "answer", "follow"]


class TuneError(Exception):
    """Why there is no result, in the program's words where it said them. `exit_code` is the program's, or None."""

    def __init__(self, text, exit_code=None):
        super().__init__(text)
        self.exit_code = exit_code


def path():
    """The program that TUNER_PROGRAM names, else the one installed with this package, else the one on PATH."""
    package = os.path.dirname(os.path.abspath(__file__))
    beside = [
        os.path.join(sysconfig.get_path("scripts"), "tuner"),
        os.path.join(package, "..", "..", "..", "..", "bin", "tuner"),  # pip install --user and --prefix
        os.path.join(package, "..", "bin", "tuner"),  # pip install --target
    ]
    named = os.environ.get("TUNER_PROGRAM")
    for candidate in [named] if named else beside:
        if os.access(candidate, os.X_OK):
            return os.path.realpath(candidate)
    found = None if named else shutil.which("tuner")
    if found is None:
        raise TuneError(f"the program tuner was not found{': ' + named if named else ''}; name it in TUNER_PROGRAM")
    return found


def _sentence(said, exit_code):
    """The part of its messages that says why the program stopped. Where nothing was run that is all of them."""
    lines = [line.rpartition("\r")[2].rstrip() for line in said.splitlines()]
    at_database = [i for i, line in enumerate(lines) if line.startswith("database:")]
    lines = [line for line in lines[: at_database[0] if at_database else None] if line]
    starts = [i for i, line in enumerate(lines) if line.startswith(("tuner: ", "left out: "))]
    if exit_code != 2:
        lines = lines[starts[0] :] if starts else lines[-1:]
    return "\n".join(lines)


def answer(*arguments, folder=None):
    """What the program writes to standard output."""
    done = subprocess.run(
        [path(), *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise TuneError(done.stderr.strip() or f"tuner {arguments[0]} failed", done.returncode)
    return done.stdout


def follow(*arguments, quiet=False):
    """Runs a sweep and passes its messages on. Ctrl-C reaches it once, so that it ends as it does in a shell."""
    on_terminal = not quiet and sys.stderr is not None and sys.stderr.isatty()
    columns = shutil.get_terminal_size().columns if on_terminal else 10_000
    process = subprocess.Popen(
        [path(), *arguments, *(["--progress", "always"] if on_terminal else [])],
        env=dict(os.environ, COLUMNS=str(columns)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # the terminal's Ctrl-C comes to us alone, and is passed on below
    )
    said = bytearray()

    def relay():
        for chunk in iter(lambda: os.read(process.stderr.fileno(), 1 << 16), b""):
            said.extend(chunk)
            if not quiet and sys.stderr is not None:
                sys.stderr.write(chunk.decode(errors="replace"))
                sys.stderr.flush()
        process.wait()

    interrupted = False
    with process.stderr:
        while True:
            try:
                relay()
                break
            except KeyboardInterrupt:
                interrupted = True
                process.send_signal(signal.SIGINT)
    if interrupted:
        raise KeyboardInterrupt("the results so far are kept; the same call goes on from there")
    if process.returncode != 0:
        raise TuneError(_sentence(said.decode(errors="replace"), process.returncode), process.returncode)
