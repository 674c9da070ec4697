"""The command that runs the experiments of the papers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ..errors import refuse
from ..model import Article, Skipped
from ..sources import Fields, read
from . import options
from .show import print_table
from .writing import check_writable, name_examples, name_output, open_output, say, write_line

if TYPE_CHECKING:
    from ..evaluation.experiments import Table


@click.command("reproduce")
@click.argument("name", metavar="PAPER")
@click.option(
    "--corpus",
    multiple=True,
    type=options.FILE,
    metavar="PATH",
    help="The articles to run it on, instead of made-up ones (cedar: a folder of labelled pages); may be repeated.",
)
@click.option(
    "--table", "tables", multiple=True, metavar="N", help="Only this table or figure; may be repeated."
)
@options.number("--articles", help="Make up so many articles, or read as many of the corpus.")
@options.number("--seed", default=1, show_default=True, help="Another seed, another corpus, other queries.")
@options.file("--figures", help="Draw the figures as SVG files in this folder.")
@options.fields
@options.as_json
@options.output
@options.quiet
def reproduce_command(
    name: str,
    corpus: tuple[Path, ...],
    tables: tuple[str, ...],
    articles: int | None,
    seed: int,
    figures: Path | None,
    fields: Fields,
    as_json: bool,
    output: Path | None,
    quiet: bool,
) -> int:
    """Run the experiments of a paper, and print its tables with the published figures beside ours.

    PAPER is cedar, chang-wang, codet, uwamahoro or yoon. Without a corpus one is made up.
    """
    from ..evaluation import experiments
    from ..extraction.labelled import read_texts

    check_writable(output, inputs=corpus)
    refuse((figures and figures.exists() and not figures.is_dir(), f"{figures}: a file; name a folder"))
    reads_pages = experiments.get(name).CORPUS == "labelled pages"
    read_articles, unusable = _read_corpus(() if reads_pages else corpus, articles, fields)
    pages = [page for folder in corpus for page in read_texts(folder)] if reads_pages else []
    what = "labelled pages, NAME.html with NAME.txt beside it" if reads_pages else "articles"
    refuse((corpus and not pages and not read_articles, f"{' '.join(map(str, corpus))}: no {what}"))
    setting = experiments.Setting(
        corpus=read_articles,
        pages=pages,
        named=" ".join(path.name for path in corpus),
        articles=articles,
        seed=seed,
        wanted=tables,
        say=(lambda _: None) if quiet else say,
    )
    start = time.perf_counter()
    made: list[Table] = []
    with open_output(output) as out:
        for table in experiments.run(name, setting):
            made.append(table)
            write_line(table.to_dict(), out) if as_json else _show(table, out)
            out.flush()
    with name_output(figures):
        for path in experiments.write_figures(made, figures) if figures else ():
            say(f"wrote {path}")
    if not quiet:
        say(f"{experiments.get(name).PAPER}: {time.perf_counter() - start:,.0f} s")
    return name_examples(unusable)


def _read_corpus(
    paths: Sequence[Path], most: int | None, fields: Fields
) -> tuple[list[Article], list[Skipped]]:
    """The articles of a corpus, the first so many, and what was skipped."""
    articles: list[Article] = []
    unusable: list[Skipped] = []
    for work in read(list(paths), fields=fields) if paths else ():
        batch = work()
        unusable += batch.skipped
        edges = batch.offsets.tolist()
        for row in range(len(batch)):
            articles.append(
                Article(batch.ids[row], str(batch.text.data[edges[row] : edges[row + 1]], "utf-8"))
            )
            if most and len(articles) == most:
                return articles, unusable
    return articles, unusable


def _show(table: Table, out: IO[str]) -> None:
    from ..evaluation.experiments import Figure

    kind = "Figure" if isinstance(table, Figure) else "Table"
    number = table.name.removeprefix("figure ")
    out.write(f"\n{kind} {number}. {table.title}\n\n")
    print_table(table.heads, ([_cell(cell) for cell in row] for row in table.rows), out)
    for note in table.notes:
        out.write(f"  {note}\n")


def _cell(cell: Any) -> str:
    from ..evaluation.experiments import show

    return show(cell)
