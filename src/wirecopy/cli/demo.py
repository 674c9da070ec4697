"""The command that shows what wirecopy does, on an archive whose copies are known."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..alignment import align_articles
from ..comparison import DEFAULT_PRESET
from ..errors import SourceError, UsageError
from ..model import Article, Match, Relation, count
from ..pile import Matches, find
from . import options
from .compare import show_pair
from .html import write_html
from .show import show_progress, show_table
from .writing import say

SHOWN = 4
"""Matches in the demo's table."""
EDITED_WORDS = 8
"""Words that an edited copy has changed at least."""


@click.command("demo")
@click.argument("folder", type=options.FILE, metavar="DIR")
@options.flag(
    "--run", help="Then find its copies, show one in full, compare all with the truth, and write a report."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="Another seed, another archive."
)
@options.quiet
def demo_command(folder: Path, run: bool, seed: int, quiet: bool) -> int:
    """Write a small made-up archive whose copies are known to DIR: pages, and their texts."""
    from .. import demo

    if folder.exists() and not folder.is_dir():
        raise SourceError(f"{folder}: a file; name a folder")
    if folder.exists() and any(folder.iterdir()) and not (folder / "truth.jsonl").exists():
        raise UsageError(f"{folder} holds other files: name a new folder")
    demo.write_archive(folder, seed)
    pages, articles, truth = folder / "pages", folder / "articles.jsonl", folder / "truth.jsonl"
    say(f"wrote {pages}, their texts {articles} and the truth {truth}")
    if not run:
        return 0
    say(f"running: wirecopy find {pages}")
    with show_progress(quiet, None) as progress:
        matches = find([pages], progress=progress)
    show_table(matches, sys.stdout, [pages], rows=SHOWN)
    for formula in matches.formulas[:2]:
        print(f"boilerplate in {count(formula.articles)}: {formula.example}")
    print(f"{count(len(matches.formulas), 'formula')} left out as boilerplate\n")
    query, found = choose_example(matches)
    say(f"running: wirecopy show {query.id} {found.id} --in {pages}")
    pair = align_articles(query, found, learnt=matches.learnt)
    show_pair(pair, DEFAULT_PRESET, [pages], sys.stdout, paged=False)
    say(f"\nrunning: wirecopy find {articles}")
    if different := demo.differences(find([articles]), matches):
        print(*different, f"{len(different)} pairs are not as from the texts", sep="\n")
    else:
        print("the answer is the same as from the texts")
    print(demo.score(matches, demo.read_truth(folder)))
    report = folder / "report.html"
    say(f"\nrunning: wirecopy report {pages} -o {report}")
    write_html(matches, report, [pages], quiet, None)
    say(f"open {report} in a browser: every story, and every copy beside what it was copied from")
    commands = {
        f"wirecopy find {pages} --output matches.csv": "all matches, for a spreadsheet",
        f"wirecopy add news.db {pages}": "keep the articles",
        "wirecopy check news.db FILE": "what a text shares with them",
    }
    say("\nlook next:")
    for command, what in commands.items():
        say(f"  {command.ljust(max(map(len, commands)))}  {what}")
    return 0


def choose_example(matches: Matches) -> tuple[Article, Article]:
    """The shortest copy in English in which several words were changed, and what it was copied from."""

    def is_edited(match: Match) -> bool:
        is_english = all(passage.text.isascii() for passage in match.passages)
        changed = sum(passage.changed for passage in match.passages)
        return match.relation is Relation.NEAR_DUPLICATE and is_english and changed >= EDITED_WORDS

    edited = (told for told in matches.tell() if is_edited(told[0]))
    _, query, found = min(edited, key=lambda told: (told[0].words, told[0].query))
    return query, found
