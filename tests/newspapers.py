"""Small pages of invented newspapers whose articles are known, and models trained on them."""

import json
import random
from pathlib import Path

from wirecopy.extraction import labelled, training

WORDS = """
harbour council bridge winter market river library budget school mayor station garden engine island theatre
valley doctor museum railway village festival teacher orchard lantern bakery
"""
SMALL = "the of a to and in that was for with on as by at it is"


def sentence(rng: random.Random) -> str:
    words = [rng.choice((SMALL if place % 2 else WORDS).split()) for place in range(rng.randrange(8, 20))]
    return " ".join(words).capitalize() + "."


def newspaper_page(seed: int) -> tuple[str, str]:
    """A page, and the text of its article."""
    rng = random.Random(seed)
    site = seed % 4
    menu = "".join(f"<li><a href='/{word}'>{word.title()}</a></li>" for word in rng.sample(WORDS.split(), 8))
    headline = " ".join(rng.sample(WORDS.split(), 5)).title()
    paragraphs = [
        " ".join(sentence(rng) for _ in range(rng.randrange(2, 5))) for _ in range(rng.randrange(3, 9))
    ]
    teasers = "".join(
        f"<div class=teaser><a href='/{number}'>{sentence(rng)[:40]}</a></div>" for number in range(6)
    )
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    html = (
        f"<!doctype html><html><head><title>{headline} - Gazette {site}</title><style>p {{}}</style></head>"
        f"<body><nav><ul>{menu}</ul></nav><{'article' if site else 'div'}><h1>{headline}</h1>{body}"
        f"</{'article' if site else 'div'}><aside>{teasers}</aside><script>var a = '<p>';</script>"
        f"<footer><p>© Gazette {site}. All rights reserved.</p><p><a href='/'>Imprint</a></p></footer></body></html>"
    )
    return html, "\n\n".join(paragraphs)


def labelled_pages(folder: Path, number: int = 24) -> list[labelled.LabelledPage]:
    for seed in range(number):
        html, text = newspaper_page(seed)
        site = folder / f"site{seed % 4}"
        site.mkdir(exist_ok=True)
        (site / f"{seed}.html").write_text(html, "utf-8")
        (site / f"{seed}.txt").write_text(text, "utf-8")
    return labelled.read_labelled(folder)[0]


def trained_crf(folder: Path) -> Path:
    """The file of a `crf` that knows these newspapers."""
    model = training.train_crf(labelled_pages(folder))
    path = folder / "crf.json"
    path.write_text(json.dumps(model), "utf-8")
    return path
