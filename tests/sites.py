"""Invented newspapers: little pages in their furniture, each with the text of its article, and models trained on them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import NamedTuple

from wirecopy.extraction import labelled, training

SPEECH = {
    "en": {
        "who": "The harbour board|A spokesman for the ferry line|Three farmers of the valley|The town council|Her neighbour",
        "did": "said on Tuesday that|had not expected that|was told by the county that|denied last week that|will decide whether",
        "what": "the old bridge|a smaller market hall|the road to the quarry|the school at Pell|every boat in the port",
        "end": "would be closed before the end of the year|must be repaired in spring|is to be sold to the bank"
        "|cannot be paid for by the parish|will be open again for visitors",
        "menu": "Home|News|Sport|Weather|Contact|Subscribe|Archive|Jobs",
        "teaser": "Ferry late again|Rain on all coasts|Mill sold|Cup final moved|Five new buses",
        "foot": "All rights reserved.|Terms and conditions|Privacy|Imprint",
    },
    "de": {
        "who": "Der Gemeinderat|Eine Sprecherin der Fähre|Drei Bauern aus dem Tal|Die Stadt|Ihr Nachbar",
        "did": "sagte am Dienstag, dass|hatte nicht erwartet, dass|bestritt in der vergangenen Woche, dass|will nun prüfen, ob",
        "what": "die alte Brücke|eine kleinere Markthalle|die Straße zum Steinbruch|die Schule in Pell|jedes Boot im Hafen",
        "end": "noch vor dem Ende des Jahres geschlossen wird|im Frühjahr repariert werden muss|an die Bank verkauft werden soll"
        "|von der Gemeinde nicht bezahlt werden kann",
        "menu": "Start|Nachrichten|Sport|Wetter|Kontakt|Abo|Archiv|Stellen",
        "teaser": "Fähre wieder zu spät|Regen an allen Küsten|Mühle verkauft|Pokalfinale verlegt|Fünf neue Busse",
        "foot": "Alle Rechte vorbehalten.|Nutzungsbedingungen|Datenschutz|Impressum",
    },
}
SCRIPT = "<script>var a = '<p>';</script>"


class Page(NamedTuple):
    html: str
    paragraphs: list[str]
    language: str

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

    @property
    def marked(self) -> str:
        """The page with the paper's mark-up in place of a text beside it."""
        marked = self.html
        for paragraph in self.paragraphs:
            marked = marked.replace(paragraph, f'<span class="CedarContent">{paragraph}</span>')
        return marked


def write_page(site: int, number: int) -> Page:
    """A page of one of any number of sites, the odd ones German; what is not a paragraph is furniture."""
    draw = random.Random(1000 * site + number)
    language = ("en", "de")[site % 2]
    speech = {part: words.split("|") for part, words in SPEECH[language].items()}

    def say() -> str:
        return " ".join(draw.choice(speech[part]) for part in ("who", "did", "what", "end")) + "."

    paragraphs = [" ".join(say() for _ in range(draw.randint(2, 4))) for _ in range(draw.randint(3, 6))]
    menu = "".join(f'<li><a href="/{place}">{word}</a></li>' for place, word in enumerate(speech["menu"]))
    teasers = [
        f'<a href="/t{place}">{draw.choice(speech["teaser"])}</a>' for place in range(draw.randint(3, 7))
    ]
    foot = " | ".join(f"<a href='#'>{word}</a>" for word in speech["foot"])
    title = draw.choice(speech["teaser"])
    head = f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>Site {site}</title><style>p {{}}</style></head><body>'
    build = (_modern, _tables, _soup)[site // 2 % 3]
    return Page(
        head + build(title, menu, paragraphs, teasers, foot) + SCRIPT + "</body></html>", paragraphs, language
    )


def _modern(title: str, menu: str, paragraphs: list[str], teasers: list[str], foot: str) -> str:
    body = "\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    more = "".join(f"<li><h3>{teaser}</h3></li>" for teaser in teasers)
    return (
        f"<header><nav><ul>{menu}</ul></nav></header><main><article><h1>{title}</h1>{body}</article>"
        f"<aside class='related'><ul>{more}</ul></aside></main><footer>{foot}</footer>"
    )


def _tables(title: str, menu: str, paragraphs: list[str], teasers: list[str], foot: str) -> str:
    body = "<br><br>".join(paragraphs)
    more = "".join(f"<tr><td>{teaser}</td></tr>" for teaser in teasers)
    return (
        f"<table><tr><td><ul>{menu}</ul></td><td><font size=5>{title}</font><br>{body}</td>"
        f"<td><table>{more}</table></td></tr><tr><td>{foot}</td></tr></table>"
    )


def _soup(title: str, menu: str, paragraphs: list[str], teasers: list[str], foot: str) -> str:
    body = "".join(f"<div class='c7'><span>{paragraph}</span></div>" for paragraph in paragraphs)
    more = "".join(f"<div class='c3'>{teaser}</div>" for teaser in teasers)
    return (
        f"<div id='top'><ul>{menu}</ul></div><div>{more}</div><div class='c9'><h2>{title}</h2>{body}</div>"
        f"<div class='foot'>{foot}</div>"
    )


def write_labelled(folder: Path, sites: range, pages: int = 4, marked: bool = False) -> Path:
    """A folder of labelled pages, one folder a site."""
    for site in sites:
        home = folder / f"site{site:02}"
        home.mkdir(parents=True)
        for number in range(pages):
            page = write_page(site, number)
            (home / f"{number}.html").write_text(page.marked if marked else page.html, "utf-8")
            if not marked:
                (home / f"{number}.txt").write_text(page.text, "utf-8")
    return folder


def trained_crf(folder: Path) -> Path:
    """The file of a `crf` that knows four of these newspapers."""
    pages, _ = labelled.read_labelled(write_labelled(folder, range(4), pages=6))
    path = folder / "crf.json"
    path.write_text(json.dumps(training.train_crf(pages)), "utf-8")
    return path
