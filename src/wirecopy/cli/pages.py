"""Articles out of web pages, and models from labelled ones."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import IO, TYPE_CHECKING, Any

import click

from ..errors import SourceError, UsageError
from ..extraction import DEFAULT_MODEL, MODELS, extract_pages, load_model
from ..matching.collection import open_pool
from ..model import Article, Extracted, Skipped, clean, count, list_skipped, one_line
from ..pile import Progress
from ..report.extracted import write_extracted
from ..sources import PageWork, read_pages, total_bytes
from ..text import mend
from . import options
from .blocks import show_blocks
from .show import print_table, show_progress
from .writing import check_writable, name_examples, name_skipped, open_output, open_skipped, say, tame

if TYPE_CHECKING:
    from ..extraction.labelled import LabelledPage
    from ..extraction.validation import Answer

BATCH_BYTES = 1 << 20


@click.command("extract")
@click.argument("paths", nargs=-1, required=True, metavar="PAGE...", type=options.FILE)
@click.option(
    "--model",
    default=DEFAULT_MODEL,
    show_default=True,
    metavar="NAME|FILE",
    help=f"Which blocks are the article: {', '.join(MODELS)}, or a model that wirecopy train wrote.",
)
@click.option(
    "--min-block-words",
    type=click.IntRange(0, 1_000_000),
    default=0,
    metavar="N",
    help="Leave out blocks of fewer words.",
)
@options.flag("--jsonl", help="One JSON object a page, with all that is known of its article.")
@options.flag("--blocks", help="Every block with its label and why; goes with --jsonl.")
@options.flag("--html", help="One HTML file for a person: the blocks, those of the article green.")
@options.output
@options.skipped
@options.threads
@options.quiet
def extract_command(
    paths: tuple[Path, ...],
    model: str,
    min_block_words: int,
    jsonl: bool,
    blocks: bool,
    html: bool,
    output: Path | None,
    skipped: Path | None,
    threads: int | None,
    quiet: bool,
) -> int:
    """Take the articles out of web pages: HTML files, folders, WARC, feeds, sitemaps; - is stdin.

    Exit code 3 says that it is done but some pages gave no article, three of each kind named on stderr.
    """
    write = choose_writer(jsonl, blocks, html, output, model)
    inputs = list(paths)
    check_writable(output, skipped, inputs=inputs if model in MODELS else [*inputs, Path(model)])
    loaded = load_model(model)
    size = total_bytes(inputs)
    # Files are looked up before a new one is there.
    pages = read_pages(inputs, batch_bytes=BATCH_BYTES)
    counts: Counter[str] = Counter()
    unused: list[Skipped] = []

    def take(work: PageWork) -> tuple[PageWork, list[Extracted]]:
        found = extract_pages(
            work.batch.pages, model=loaded, min_block_words=min_block_words, with_blocks=blocks or html
        )
        return work, found

    # Text that scrolls by is progress enough.
    still = quiet or (output is None and sys.stdout.isatty())
    with (
        open_output(output) as out,
        open_skipped(skipped) as skip,
        show_progress(still, size) as progress,
        open_pool(threads) as pool,
    ):

        def leave_out(some: Sequence[Skipped]) -> None:
            unused[:] = list_skipped(unused, list_skipped(some, tell=skip))

        write(count_pages(pool.map(take, pages), counts, leave_out, progress), out)
    return summarise_pages(counts, unused, quiet)


def count_pages(
    done: Iterable[tuple[PageWork, list[Extracted]]],
    counts: Counter[str],
    leave_out: Callable[[Sequence[Skipped]], None],
    progress: Progress | None,
) -> Iterator[Extracted]:
    """Give out the pages as they are done: count them, tell `leave_out` of those without an article, show progress."""
    read = 0
    for work, found in done:
        batch = work.batch
        yield from found
        yield from (Extracted(Article(one.where, ""), one.reason) for one in batch.skipped)
        unused = [
            Skipped(where, "no article in the page" if one.status == "empty" else one.status)
            for where, one in zip(batch.wheres, found, strict=True)
            if one.status != "ok"
        ]
        leave_out([*unused, *batch.skipped])
        counts.update(pages=len(found), articles=len(found) - len(unused))
        counts.update({f"left out: {reason}": number for reason, number in batch.left_out.items()})
        read += work.source_bytes
        if progress:
            progress("reading", read, 0)


def choose_writer(
    jsonl: bool, blocks: bool, html: bool, output: Path | None, model: str
) -> Callable[[Iterator[Extracted], IO[str]], None]:
    """The function that writes the pages in the form asked for, or that the name of the file asks for."""
    if html and (jsonl or blocks):
        raise UsageError(f"one form at a time: got --html and --{'jsonl' if jsonl else 'blocks'}")
    if html:
        return lambda found, out: write_extracted(found, out, model)
    if jsonl or (output is not None and output.suffix == ".jsonl"):
        return lambda found, out: tame(out).writelines(map(json_line, found))
    return write_blocks if blocks else write_texts


def json_line(found: Extracted) -> str:
    """A page as one line of JSON, with its blocks if there are any."""
    record: dict[str, Any] = asdict(found.article) | {"status": found.status}
    if found.blocks:
        record["blocks"] = [
            {
                "text": block.text,
                "content": block.content,
                "score": round(block.score, 4),
                "path": block.path,
                "reasons": [[reason, round(part, 4)] for reason, part in block.reasons],
            }
            for block in found.blocks
        ]
    return json.dumps(record, ensure_ascii=False) + "\n"


def write_texts(found: Iterator[Extracted], out: IO[str]) -> None:
    """Write the articles for reading: title, author and date, text; where there are several pages, each under its id."""
    for one, several in _with_company(found):
        article = one.article
        if several:
            out.write(head(one))
        if one.status != "ok":
            continue
        byline = " · ".join(filter(None, (article.author, article.published, article.source)))
        above = "".join(f"{clean(line)}\n" for line in (article.title, byline) if line)
        out.write(f"{above}\n{clean(article.text)}\n" if above else f"{clean(article.text)}\n")
        if several:
            out.write("\n")


def write_blocks(found: Iterator[Extracted], out: IO[str]) -> None:
    """Write the blocks of each page as a table."""
    for one, several in _with_company(found):
        if several:
            out.write(head(one))
        if one.blocks:
            show_blocks(one.blocks, out)
        if several:
            out.write("\n")


def head(found: Extracted) -> str:
    """The line above a page among several: its id, and why there is no article in it, if so."""
    status = "" if found.status == "ok" else f": {clean(found.status)}"
    return f"==> {one_line(found.article.id)}{status} <==\n"


def _with_company(found: Iterator[Extracted]) -> Iterator[tuple[Extracted, bool]]:
    """Each page, with whether there are others beside it."""
    first, second = next(found, None), next(found, None)
    if first:
        yield first, second is not None
    if second:
        yield second, True
    yield from ((one, True) for one in found)


def summarise_pages(counts: Counter[str], skipped: Sequence[Skipped], quiet: bool) -> int:
    """Name pages that were skipped, say how many pages and articles there were; return the exit code."""
    left_out = "".join(
        f", {number:,} {what}" for what, number in counts.items() if what.startswith("left out: ")
    )
    code = name_examples(skipped)
    if not counts["pages"]:
        say(f"no pages found{left_out}")
    elif not quiet:
        say(f"{count(counts['pages'], 'page')}, {count(counts['articles'])}{left_out}")
    return code


@click.command("train")
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=options.FILE)
@options.file("-o", "--output", metavar="MODEL.json", help="Where to write the model.")
@options.choice(
    "--kind",
    "crf",
    "maxent",
    help="crf: all that can be seen of a page's blocks, together; maxent: the words of each block.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="Cross-validate over sites first, in so many parts; 0: no figures.",
)
@options.flag("--leave-out", help="Score each DIR by a model of the others instead.")
@options.flag("--no-train", help="The figures only, no model.")
@options.file(
    "--work",
    metavar="DIR",
    help="Keep the answers of each part there; a run that was interrupted goes on.",
)
@options.quiet
def train_command(
    folders: tuple[Path, ...],
    output: Path | None,
    kind: str,
    folds: int,
    leave_out: bool,
    no_train: bool,
    work: Path | None,
    quiet: bool,
) -> int:
    """Train a model on labelled pages, and say how good it is on sites that it has not seen.

    A labelled page is NAME.html with its article beside it in NAME.txt, or one whose article stands in
    <span class="CedarContent">. The folder it stands in is its site.
    """
    from ..extraction import labelled, training, validation

    check_options(folders, output, folds, leave_out, no_train)
    check_writable(output, files=(file for folder in folders for file in labelled.labelled_files(folder)))

    talk = (lambda _: None) if quiet else say
    pages: list[LabelledPage] = []
    skipped: list[Skipped] = []
    for folder in folders:
        talk(f"reading {folder}")
        found, unused = labelled.read_labelled(folder)
        pages += found
        skipped += unused
        content = sum(int(page.labels.sum()) for page in found)
        blocks = sum(len(page.labels) for page in found)
        talk(f"{_counted(found, 'labelled page')}, {content:,} of {count(blocks, 'block')} CONTENT")
    if leave_out or folds:
        parts = validation.part_by_collection(pages) if leave_out else validation.part_by_site(pages, folds)
        answers = {
            kind: validation.cross_validate(pages, kind, parts, work, talk),
            "heuristic": validation.answer_all(pages, "heuristic"),
        }
        how = "each folder by a model of the others" if leave_out else f"{len(set(parts))} parts, by site"
        talk(f"scores of pages that the model has not seen: {how}")
        show_scores(pages, answers, talk)
    if output:
        talk(f"training on {count(len(pages), 'page')}")
        names = ", ".join(sorted({page.collection for page in pages}))
        about = {"about": f"trained on {_counted(pages, 'page')}: {names}"}
        model = about | training.TRAINERS[kind](pages, talk)
        with open_output(output) as out:
            out.write(mend(json.dumps(model, ensure_ascii=False, separators=(",", ":"))) + "\n")
        talk(f"wrote {output}, {output.stat().st_size / 1000:,.0f} kB: use it with --model {output}")
    return name_skipped(skipped)


def _counted(pages: list[LabelledPage], noun: str) -> str:
    return f"{count(len(pages), noun)} of {count(len({page.group for page in pages}), 'site')}"


def check_options(
    folders: tuple[Path, ...], output: Path | None, folds: int, leave_out: bool, no_train: bool
) -> None:
    """Raise an error for options that make no sense together, before the work begins."""
    names = Counter(Path(os.path.realpath(folder)).name for folder in folders)
    if twice := [name for name, number in names.items() if number > 1]:
        raise UsageError(f"two folders are called {twice[0]}; scores go by the name: rename one")
    if no_train and output:
        raise UsageError("--no-train writes no model: leave out --output")
    if not no_train and not output:
        raise UsageError("name the file of the model with --output, or ask for figures only: --no-train")
    if folds == 1:
        raise UsageError("--folds: expected 0, 2 or more, got 1")
    if no_train and not folds and not leave_out:
        raise UsageError("--no-train --folds 0 leaves nothing to do")
    if leave_out and len(folders) < 2:
        raise UsageError("--leave-out: needs two folders or more, each is scored by a model of the others")
    if missing := next((folder for folder in folders if not folder.is_dir()), None):
        raise SourceError(f"{missing}: expected a folder of labelled pages")


def show_scores(
    pages: list[LabelledPage], answers: dict[str, list[Answer]], talk: Callable[[str], None]
) -> None:
    """Print the scores of each model, and how often what pages say of their articles is right."""
    from ..extraction.validation import score_fields

    heads = ("pages of", "model", "pages", "P", "R", "F", "perfect", "text F", "empty")
    print_table(heads, score_rows(pages, answers), sys.stdout)
    if fields := score_fields(pages):
        talk("what pages say of their articles, by the same rules whatever the model")
        rows = ((name, f"{number:,}", f"{share:.3f}") for name, (number, share) in fields.items())
        print_table(("field", "pages", "right"), rows, sys.stdout)
    sys.stdout.flush()


def score_rows(pages: list[LabelledPage], answers: dict[str, list[Answer]]) -> Iterator[tuple[str, ...]]:
    """One row for each model and collection, then for all pages together, then for the figures in the paper."""
    from ..extraction.validation import PAPER, score

    collections = sorted({page.collection for page in pages})
    for model, given in answers.items():
        scores = []
        for collection in collections:
            chosen = [place for place, page in enumerate(pages) if page.collection == collection]
            scores.append(score([pages[place] for place in chosen], [given[place] for place in chosen]))
            yield score_row(collection, model, **asdict(scores[-1]))
        if len(collections) > 1:
            yield score_row("all pages", model, **asdict(score(pages, given)))
            names = [name for name in asdict(scores[0]) if name != "pages"]
            means = {name: fmean(getattr(one, name) for one in scores) for name in names}
            yield score_row("mean of folders", model, **means)
        if model in PAPER:
            yield score_row("the paper's own", model, **PAPER[model])


def score_row(name: str, model: str, **scores: float) -> tuple[str, ...]:
    """The cells of a row, empty for a score that is not known."""
    forms = {
        "pages": ",",
        "precision": ".3f",
        "recall": ".3f",
        "f": ".3f",
        "perfect": ".0%",
        "text": ".3f",
        "empty": ".1%",
    }
    return (name, model, *(format(scores[one], form) if one in scores else "" for one, form in forms.items()))
