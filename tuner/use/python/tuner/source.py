"""A kernel's source, read by the program."""

import os
import re
import tempfile

from .program import TuneError, answer


class Source:
    """A kernel's source, and what `tuner init` reads there: the name and the arguments."""

    def __init__(self, source, entry):
        self.path = None  # that of a source which was given as text is known once it is placed
        if isinstance(source, str) and ("\n" in source or "{" in source):
            self.text = source.rstrip() + "\n"
        else:
            self.path = os.path.abspath(os.fspath(source))
            try:
                open(self.path, "rb").close()
            except OSError as error:
                raise TuneError(f"the source {source} cannot be read: {error.strerror}") from error
        self.arguments = []
        self._read(entry)

    def place(self, folder):
        """How a spec in this folder names the source."""
        if self.path is not None:
            return self.path
        name = f"{self.name}.cu"
        with open(os.path.join(folder, name), "w") as out:
            out.write(self.text)
        return name

    def _read(self, entry):
        """The draft is made among links to what lies beside the source, since headers are found there."""
        with tempfile.TemporaryDirectory() as folder:
            beside = os.path.dirname(self.path) if self.path else None
            for name in os.listdir(beside)[:1000] if beside else []:
                if not name.endswith((".toml", "_reference.cu")):
                    os.symlink(os.path.join(beside, name), os.path.join(folder, name))
            source = os.path.basename(self.path) if self.path else "kernel.cu"
            if not beside:
                with open(os.path.join(folder, source), "w") as out:
                    out.write(self.text)
            wanted = ["--entry", re.sub(r"<.*|\(.*", "", entry)] if entry else []
            answer("init", *wanted, source, folder=folder)
            specs = [name for name in os.listdir(folder) if name.endswith(".toml")]
            with open(os.path.join(folder, specs[0])) as draft:
                text = draft.read()
        self.name = re.search(r'^name = "(.*)"', text, re.M)[1]
        self.entry = entry or re.search(r'^entry = "(.*)"', text, re.M)[1]
        for block in re.findall(r"^\[\[arguments\]\]\n((?:.+\n?)*)", text, re.M):
            found = dict(re.findall(r'^(\w+) = "(.*?)"', block, re.M))
            found["unused"] = "does not use it" in block
            self.arguments.append(found)

    def pointers_and_numbers(self):
        return [one for one in self.arguments if "symbol" not in one]

    def symbol(self, name):
        """The variable of this name, with or without its namespaces; None where none or several have it."""
        known = [one for one in self.arguments if "symbol" in one]
        found = [one for one in known if one["symbol"] == name] or [one for one in known if one["symbol"].endswith(f"::{name}")]
        return found[0] if len(found) == 1 else None
