#!/usr/bin/env python3
"""Counts the product's code and documents for the table in CONTRIBUTING.md. Run it at the root of a checkout.

Lines are those without blanks and whole-line comments in tuner, db, reports and config (.cpp .hpp .h .sql).
"""
import re
import subprocess


def tracked(*folders):
    return subprocess.check_output(["git", "ls-files", *folders], text=True).split()


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def code_lines(path):
    text = text_of(path)
    comment = r"--[^\n]*" if path.endswith(".sql") else r"/\*.*?\*/|^\s*//[^\n]*$"
    text = re.sub(comment, "", text, flags=re.S | re.M)
    return sum(1 for line in text.splitlines() if line.strip())


sources = {
    path: code_lines(path)
    for path in tracked("tuner", "db", "reports", "config")
    if path.endswith((".cpp", ".hpp", ".h", ".sql"))
}
lines = sorted(sources.values())
longest = max(sources, key=sources.get)
documents = [p for p in tracked() if re.fullmatch(r"[A-Z]+\.md|docs/[^/]+\.md|docs/design/[^/]+\.md", p)]
print(f"lines             {sum(lines)}")
print(f"files             {len(lines)}, median {lines[len(lines) // 2]} lines")
subjects = {}
for path, count in sources.items():
    subject = re.sub(r"\.(cpp|hpp)$", "", path)
    subjects[subject] = subjects.get(subject, 0) + count
print(f"under 30 lines    {sum(count < 30 for count in lines)}; with its source a header is under 30 in "
      f"{sum(count < 30 for count in subjects.values())}")
print(f"longest           {sources[longest]} ({longest})")
print(f"words documents   {sum(len(text_of(path).split()) for path in documents)}")
