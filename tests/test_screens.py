"""What a terminal of 80 and of 120 columns shows, character by character, as tmux has it on its screen.

The screens are in tests/screens; `python tests/test_screens.py` makes them again, to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

import pytest
from program import wirecopy
from records import jsonl

from quality.texts import Writer

SCREENS = Path(__file__).parent / "screens"
WIDTHS = (80, 120)
EN = "2026/03/02/… 2026/03/01/… --in news.jsonl"
ZH = "2026/03/04/… 2026/03/03/… --in news.db"
EDITED = "evening-{0} morning-{0} --in edited.jsonl"
COMMANDS = {
    "find": "wirecopy find news.jsonl --quiet",
    "find-demo": "wirecopy find demo/articles.jsonl --quiet",
    "check": "wirecopy check news.db draft.txt",
    "check-demo": "wirecopy check demo.db stitched.txt",
    "info": "wirecopy info news.db",
    "methods": "wirecopy methods",
    "method": "wirecopy methods winnowing",
    "compare-english": f"wirecopy compare {EN}",
    "compare-chinese": f"wirecopy compare {ZH}",
    **{f"show-{name}": f"wirecopy show {EDITED.format(name)}" for name in ("english", "chinese", "arabic")},
    "evaluate": "wirecopy evaluate demo/truth.jsonl demo.jsonl --in demo/articles.jsonl",
    "pool": "wirecopy pool demo/articles.jsonl --method dsc --method simhash",
    "help": "wirecopy --help",
    "error-no-file": "wirecopy find nowhere.jsonl",
    "error-option": "wirecopy find news.jsonl --methd exact",
    "error-method": "wirecopy find news.jsonl --method winowing",
    "error-ending": "wirecopy find news.jsonl -o matches.xlsx",
    "error-archive": "wirecopy find news.db",
    "error-swapped": "wirecopy check draft.txt news.db",
    "error-field": "wirecopy find posts.jsonl",
    "error-skipped": "wirecopy find bad.jsonl",
    "error-value": "wirecopy add new.db news.jsonl --window soon",
}
CHINESE = "长江是中华民族的母亲河，也是中华民族发展的重要支撑。十年来，从国家到沿江省市，把修复长江生态环境摆在压倒性位置，共抓大保护、不搞大开发。"
FOOTER = "Follow the Harbour Post on all your devices and never miss what matters on the coast."
MORNING = {
    "english": """The ferry between Pell and the islands will stay in port until Friday, the harbour office said on Monday. A storm from the
north-west had broken two of the three landing stages during the night, and divers found cracks in the piers of the last one.

Some 400 passengers were taken to schools and hotels, where the town gave them blankets and warm soup. Nobody was hurt.

The company that runs the line promised to pay the fares back within two weeks. Its other ships are out of service for repairs.

Fishermen at the northern quay said they had warned of the rotten timber since last spring, but that nobody listened.""",
    "chinese": """港务局星期一表示，佩尔与各岛之间的渡轮将停航至星期五。夜间一场来自西北的风暴摧毁了三座码头中的两座，潜水员在最后一座的桥墩上发现了裂缝。

约四百名乘客被安置在学校和旅馆，镇上为他们提供了毛毯和热汤。没有人受伤。

经营该航线的公司承诺在两周之内退还票款，其余船只目前都在维修。""",
    "arabic": """قال مكتب الميناء يوم الإثنين إن العبّارة بين المدينة والجزر ستبقى راسية حتى يوم الجمعة بسبب الأضرار. وكانت عاصفة من الشمال الغربي قد حطمت
اثنين من الأرصفة الثلاثة خلال الليل، ووجد الغواصون شقوقا في دعائم الرصيف الأخير.

ونُقل نحو أربعمئة مسافر إلى المدارس والفنادق حيث وفرت لهم البلدية البطانيات والحساء الساخن، ولم يصب أحد بأذى.

ووعدت الشركة التي تدير الخط بإعادة ثمن التذاكر خلال أسبوعين، وقالت إن سفنها الأخرى قيد الإصلاح.""",
}
EDITS = {
    "english": [
        ("until Friday", "until the weekend"),
        ("Some 400", "More than 500"),
        ("Nobody was hurt.", "Nobody was hurt, the hospital said."),
        ("north-west", "NORTH-WEST"),
        (" within two weeks", ""),
    ],
    "chinese": [("星期五", "周末"), ("约四百名", "五百多名"), ("没有人受伤", "医院说没有人受伤")],
    "arabic": [
        ("الجمعة", "السبت"),
        ("أربعمئة", "خمسمئة"),
        ("ولم يصب أحد بأذى", "ولم يصب أحد بأذى بحسب المستشفى"),
    ],
}
"""What the evening changed of the morning; besides, it has the last paragraph first."""
LONG = "https://www.example.org/{}/2026/03/{:02}/a-story-that-goes-on-and-on.html"


def make_place(folder: Path) -> None:
    """Write what the commands are about."""
    writer = Writer(90)
    story, other = writer.write(120), writer.text(90)
    edited = [*story[:50], "otherwise", "put", *story[52:]]
    articles = [
        (LONG.format("courier", 1), "Harbour closes early", "Courier", "2026-03-01", " ".join(story)),
        (LONG.format("echo", 2), "Harbour to close", "Echo", "2026-03-02", " ".join(edited)),
        (LONG.format("courier", 3), "母亲河焕发新活力", "新闻联播", "2026-03-03", CHINESE),
        (
            LONG.format("echo", 4),
            "万里长江",
            "新闻联播",
            "2026-03-04",
            CHINESE.replace("重要支撑", "坚实根基"),
        ),
        (LONG.format("courier", 5), "Rain", "Courier", "2026-03-05", other),
        (LONG.format("echo", 6), "Rain again", "Echo", "2026-03-06", other),
    ]
    names = ("id", "title", "source", "published", "text")
    (folder / "news.jsonl").write_bytes(jsonl(*(dict(zip(names, one, strict=True)) for one in articles)))
    (folder / "edited.jsonl").write_bytes(jsonl(*make_edited()))
    (folder / "draft.txt").write_text(" ".join([*story[:40], *writer.write(20)]), "utf-8")
    (folder / "posts.jsonl").write_bytes(jsonl({"slug": "a", "article_body": other}, {"slug": "b"}))
    (folder / "bad.jsonl").write_bytes(jsonl(*({"id": str(n), "text": n} for n in range(5)), {"text": other}))
    for command in (
        *("add news.db news.jsonl", "demo demo", "add demo.db demo/articles.jsonl"),
        "find demo/pages -o demo.jsonl",
    ):
        assert wirecopy(*command.split(), cwd=folder).returncode == 0
    lines = (folder / "demo" / "articles.jsonl").read_text("utf-8").splitlines()
    paragraphs = [json.loads(line)["text"].split("\n\n")[0] for line in lines[10:230:70]]
    (folder / "stitched.txt").write_text(
        "\n\n".join([*paragraphs, "Nobody has written this before."]), "utf-8"
    )


def make_edited() -> list[dict[str, str]]:
    """A morning's and an evening's text in three languages, and others that end as the English ones do."""
    articles = [
        {"id": f"other-{number}", "text": f"{Writer(number).text(60)}\n\n{FOOTER}"} for number in range(9)
    ]
    for name, morning in MORNING.items():
        first, *middle, last = morning.split("\n\n")
        evening = "\n\n".join([last, first, *middle])
        for old, new in EDITS[name]:
            assert old in evening
            evening = evening.replace(old, new)
        footer = f"\n\n{FOOTER}" if name == "english" else ""
        for when, text, hour in (("morning", morning, "06"), ("evening", evening, "18")):
            about = {"source": f"{when.title()} Post", "published": f"2026-03-02T{hour}:00Z"}
            articles.append({"id": f"{when}-{name}", "text": text + footer, **about})
    return articles


def path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def look(command: str, folder: Path, width: int) -> str:
    """The screen after a command, without the lines below its last."""
    tmux = ["tmux", "-L", f"wirecopy-{uuid4()}", "-f", "/dev/null"]
    environment = {**os.environ, "PATH": path(), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    for name in ("COLUMNS", "LINES", "PAGER"):
        environment.pop(name, None)
    script = f'{command}; echo "[exit code $?]"; tmux wait-for -S done; sleep 60'
    start = ["new-session", "-d", "-x", str(width), "-y", "200", "bash", "-c", script]
    try:
        subprocess.run([*tmux, *start], cwd=folder, env=environment, check=True, capture_output=True)
        subprocess.run([*tmux, "wait-for", "done"], env=environment, check=True, timeout=60)
        shown = subprocess.run(
            [*tmux, "capture-pane", "-p"], env=environment, check=True, capture_output=True
        )
    finally:
        subprocess.run([*tmux, "kill-server"], env=environment, check=False, capture_output=True)
    return "\n".join(line.rstrip() for line in shown.stdout.decode().rstrip().splitlines()) + "\n"


VARIABLE = {
    r"\d{4}-\d{2}-\d{2}T[\d:.+Z-]+": "TIME",
    r"[\d.,]+ (?:kB|MB|bytes)": "SIZE",
    r"wirecopy \d+\.\d+\.\d+": "wirecopy VERSION",
}


def settle(screen: str) -> str:
    """A screen without what is another each time."""
    for pattern, name in VARIABLE.items():
        screen = re.sub(pattern, name, screen)
    return screen


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    make_place(folder)
    return folder


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_is_as_it_was_looked_at(name: str, width: int, place: Path) -> None:
    expected = (SCREENS / f"{name}-{width}.txt").read_text("utf-8")
    assert f"$ {COMMANDS[name]}\n" + settle(look(COMMANDS[name], place, width)) == expected


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        make_place(Path(made))
        for command_name, command in COMMANDS.items():
            for columns in WIDTHS:
                screen = f"$ {command}\n" + settle(look(command, Path(made), columns))
                (SCREENS / f"{command_name}-{columns}.txt").write_text(screen, "utf-8")
