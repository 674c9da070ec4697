"""Blocks by the paper's rule (CEDAR, section 4.1), slowly: the twin of `rust/src/html.rs` and `scan.rs`.

For pages that close their comments, quotation marks and raw elements; tags may be torn.
"""

import html
import re

PAPER = """
a ins del bdo em strong dfn code samp kbd var cite abbr acronym q sub sup tt i b big small u s strike basefont font span
"""
TODAY = "mark time data wbr label bdi ruby rb rt rp nobr"

WHITE_SPACE = "[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\0]+"

MARKUP = re.compile(
    r"""<!--(?:-?>|.*?--!?>)       # a comment
    |<(?:[!?]|/[^a-z])[^>]*>|</>  # what the standard takes for one
    |<(?P<raw>script|style|iframe|noembed|noframes|title|textarea|xmp)(?=[\s/>])(?:[^>"']|"[^"]*"|'[^']*')*>
     (?P<content>.*?)</(?P=raw)(?=[\s/>])[^>]*>
    |</?(?P<name>[a-z][^\s/>]*)(?:[^>"']|"[^"]*"|'[^']*')*>""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def blocks(page: str, *, as_in_paper: bool) -> list[str]:
    inline = (PAPER if as_in_paper else PAPER + TODAY).split()
    found = [""]
    at = 0
    for markup in MARKUP.finditer(page):
        found[-1] += html.unescape(page[at : markup.start()])
        at = markup.end()
        raw, content, name = markup["raw"], markup["content"], markup["name"]
        if raw:
            shown = {"title": html.unescape(content), "textarea": html.unescape(content), "xmp": content}
            found += [shown.get(raw.lower(), ""), ""]
        elif name and name.lower() not in inline:
            found.append("")
    found[-1] += html.unescape(page[at:])
    texts = [" ".join(filter(None, re.split(WHITE_SPACE, text))) for text in found]
    return [text for text in texts if text]
