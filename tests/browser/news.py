"""What the browser is shown: the demo archive and a few stories more, each for something that a page must get right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from program import wirecopy

from quality.texts import Writer
from wirecopy.alignment import align_articles
from wirecopy.demo import write_archive
from wirecopy.model import Article
from wirecopy.report import write_pair

ARABIC = (
    "صوت مجلس الميناء مساء الثلاثاء على إغلاق سوق السمك القديم في نهاية العام. وقال التجار إن السقف لم يعد من الممكن إصلاحه، وإن المجلس "
    "وعد بسوق جديدة بالقرب من الجسر. وسيبدأ العمل في الربيع المقبل إذا وافقت المدينة على الميزانية التي تبلغ 12 مليون يورو."
)
HEBREW = (
    "מועצת הנמל הצביעה ביום שלישי בערב על סגירת שוק הדגים הישן בסוף השנה. לסוחרים נאמר שאי אפשר עוד לתקן את הגג, והעירייה הבטיחה שוק חדש ליד "
    "הגשר. העבודות יתחילו באביב הבא אם המועצה תאשר תקציב של 12 מיליון אירו, אמר ראש העיר בסוף הישיבה הארוכה."
)
CHINESE = (
    "港务局星期二晚上投票决定在年底关闭旧鱼市场。商人们被告知屋顶已经无法修复，市政府答应在桥边建一个新的市场。"
    "如果市议会批准一千二百万欧元的预算，工程将在明年春天开始。渔民协会主席说，许多家庭三代人都在这里卖鱼，搬迁对他们来说并不容易。"
)
THAI = (
    "คณะกรรมการท่าเรือลงมติเมื่อคืนวันอังคารให้ปิดตลาดปลาเก่าในสิ้นปีนี้ พ่อค้าได้รับแจ้งว่าหลังคาไม่สามารถซ่อมแซมได้อีกต่อไปและเมืองสัญญาว่าจะสร้างตลาดใหม่ใกล้สะพาน "
    "งานจะเริ่มในฤดูใบไม้ผลิปีหน้าหากสภาเมืองอนุมัติงบประมาณสิบสองล้านยูโร ประธานสมาคมชาวประมงกล่าวว่าหลายครอบครัวขายปลาที่นี่มาสามชั่วอายุคน"
)
OWN = "Nobody but this paper says that the herring came back to the bay before the first frost of the year."


def paragraphs(seed: int = 7, many: int = 8) -> list[str]:
    writer = Writer(seed)
    return [writer.text(44) for _ in range(many)]


def change(words: str, places: tuple[int, ...]) -> str:
    """The text with other words at these places."""
    split = words.split(" ")
    for number, place in enumerate(places):
        split[place] = f"ch{number}nged"
    return " ".join(split)


def told() -> Iterator[dict[str, Any]]:
    """Articles whose ids say what they are for."""
    parts = paragraphs()
    first = {
        "title": "Council votes <b>on</b> the harbour",
        "source": "Meridian Wire",
        "author": "Ada Moss",
        "agency": "Reuters",
    }
    yield {
        **first,
        "id": "harbour/first",
        "text": "\n\n".join(parts),
        "published": "2026-04-01T08:00:00Z",
        "url": "https://example.org/harbour",
    }
    yield {
        "id": "harbour/moved",
        "text": "\n\n".join([*parts[1:], parts[0]]),
        "title": "Harbour: how they voted",
        "source": "Harbour Post",
        "published": "2026-04-01T09:30:00Z",
        "url": "javascript:alert(1)",
    }
    edited = [change(parts[0], (5, 6, 20)), *parts[1:4], OWN]
    yield {
        "id": "harbour/edited",
        "text": "\n\n".join(edited),
        "title": "Harbour: what was decided",
        "source": "City Mercury",
        "published": "2026-04-02T09:30:00Z",
    }
    yield {
        "id": "harbour/shouted",
        "text": parts[0].upper() + "\n\n" + "\n\n".join(parts[1:]),
        "title": "HARBOUR",
        "source": "Moorland Gazette",
        "published": "2026-04-02",
    }
    for number in range(30):
        yield {
            "id": f"wide/{number:02}",
            "text": Writer(11).text(90),
            "title": "Ferry runs late",
            "source": f"Paper {number % 7}",
        }
    halves = [Writer(seed).text(120) for seed in (12, 13)]
    for number, half in enumerate(halves):
        yield {"id": f"half/{number}", "text": half, "title": f"Half {number}", "published": "2026-04-05"}
    digest = "\n\n".join([halves[0], Writer(14).text(40), halves[1]])
    yield {"id": "digest", "text": digest, "title": "The day in brief", "published": "2026-04-06"}
    scripts = {
        "ar": (ARABIC, "الربيع", "الصيف"),
        "he": (HEBREW, "באביב", "בקיץ"),
        "zh": (CHINESE, "春天", "夏天"),
        "th": (THAI, "ฤดูใบไม้ผลิ", "ฤดูร้อน"),
    }
    for language, (text, old, new) in scripts.items():
        for number, written in enumerate((text, text.replace(old, new))):
            yield {
                "id": f"{language}/{number}",
                "text": written,
                "title": written[:20],
                "language": language,
                "source": f"{language} {number}",
                "published": f"2026-04-03T1{number}:00:00Z",
            }


def write_reports(folder: Path) -> dict[str, Path]:
    """Reports of every kind, by what they are."""
    articles = write_archive(folder / "demo") / "articles.jsonl"
    more = folder / "more.jsonl"
    more.write_text("".join(json.dumps(one) + "\n" for one in told()), "utf-8")
    archive = folder / "news.db"
    run("add", archive, articles, more)
    paths = {
        name: folder / f"{name}.html"
        for name in ("report", "bare", "empty", "pair", "strangers", "check", "one", "queries", "scores")
    }
    run("report", archive, "-o", paths["report"])
    run("report", more, "--without-texts", "-o", paths["bare"])
    alone = folder / "alone.jsonl"
    alone.write_text(
        "".join(json.dumps({"id": str(seed), "text": Writer(seed).text(60)}) + "\n" for seed in range(12)),
        "utf-8",
    )
    run("report", alone, "-o", paths["empty"])
    by_id = {one["id"]: Article(**one) for one in told()}
    write_both(paths["pair"], by_id["harbour/moved"], by_id["harbour/first"])
    write_both(paths["strangers"], by_id["harbour/moved"], by_id["zh/0"])
    draft, clean = folder / "draft.txt", folder / "clean.txt"
    parts = paragraphs()
    draft.write_text(
        "\n\n".join([parts[2], OWN.replace("herring", "salmon and the eel"), parts[5], ARABIC]), "utf-8"
    )
    clean.write_text(Writer(99).text(60), "utf-8")
    run("find", more, "--query", draft, "--html", paths["queries"], "-o", folder / "found.jsonl")
    run("check", archive, draft, clean, "--html", paths["check"], "-o", folder / "answers.jsonl")
    run("check", archive, draft, "--html", paths["one"], "-o", folder / "answer.jsonl")
    ranked = folder / "ranked.jsonl"
    ranking = "--method", "resemblance:threshold=0.05", "--decide", "method"
    run("find", articles, more, *ranking, "-o", ranked)
    judged = "evaluate", truth(folder), ranked, "--in", archive, "--split"
    run(*judged, "--html", paths["scores"], "-o", folder / "scores.json")
    return paths


def truth(folder: Path) -> Path:
    """What is true of the demo archive, and three pairs more: one that is found, and two that nobody finds."""
    rows = [
        {"query": "harbour/moved", "found": "harbour/first", "relation": "near-duplicate"},
        {"query": "ar/1", "found": "he/0", "relation": "identical"},
        {"query": "zh/1", "found": "th/0", "relation": "partial"},
    ]
    path = folder / "truth.jsonl"
    path.write_bytes(
        (folder / "demo" / "truth.jsonl").read_bytes()
        + b"".join(json.dumps(one).encode() + b"\n" for one in rows)
    )
    return path


def write_both(path: Path, query: Article, found: Article) -> None:
    write_pair(path, align_articles(query, found), preset="syndication")


def run(*arguments: object) -> None:
    ran = wirecopy(*arguments)
    assert ran.returncode == 0, ran.stderr.decode()
