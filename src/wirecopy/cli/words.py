"""What the library says in the words of Python, in those of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    r"fields=Fields\(text=…\)": "--text-field",
    r"fields=Fields\(text='(.*?)'\)": r"--text-field \1",
    r"fields=Fields\(encoding='(.*?)'\)": r"--encoding \1",
    r"add it with replace=True": "add it with --replace",
    r"replace it with replace=True": "replace it with --force",
    r"Archive\.open\((['\"])(.*?)\1, create=True\)": r"wirecopy add \2 PATH...",
    r"Archive\.open\((['\"])(.*?)\1\)\.expire\(now=DATE\)": r"wirecopy expire \2 --now DATE",
    r"Archive\.open\(NEW, create=True, method=NAME\)": "wirecopy add NEW PATH --method NAME",
    r"Archive\.open\(NEW, create=True, statistics=…\)\.add\(OLD\.articles\(\)\)": (
        "wirecopy export OLD | wirecopy add NEW - --statistics FILE"
    ),
    r"statistics=Statistics\.load\(FILE\)": "--statistics FILE",
    r"use wirecopy\.opinions": "use wirecopy find --decide method",
    r"give task=read_task\(FILE\)": "name a task with --task FILE",
    r"over all articles, which are not known": "over all articles: name them with --in PATH",
    r"train without cross-validation": "train without cross-validation (--folds 0)",
}
"""What is said where something can be done about it."""


def in_options(message: str) -> str:
    """A message of the library as the command line says it."""
    for python, option in OPTIONS.items():
        message = re.sub(python, option, message)
    return message
