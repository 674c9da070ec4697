"""Addresses of articles: when two are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from . import _core

_SCHEME = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_TRACKING = re.compile(
    r"(?:utm_\w*|mc_[ce]id|\w*clid|igshid|ref|ref_src|ref_url|cmp|cmpid|ns_\w*|at_\w*|ito|smid|smtyp|xtor|feed_id)(?:=|$)"
)
"""Parameters that say where a reader came from."""


def canonical(address: str) -> str:
    """An address without what does not tell articles apart; empty for that of a whole site.

    Scheme, `www.`, the case of the host, the fragment, parameters that track readers, and a slash at the end.
    """
    rest = _SCHEME.sub("", address.strip()).partition("#")[0]
    place, _, query = rest.partition("?")
    host, _, path = place.partition("/")
    kept = "&".join(one for one in query.split("&") if one and not _TRACKING.match(one)) if query else ""
    path = path.rstrip("/")
    if not path and not kept:
        return ""
    return f"{host.lower().removeprefix('www.')}/{path}" + (f"?{kept}" if kept else "")


def number_addresses(addresses: Iterable[str]) -> NDArray[np.int64]:
    """A number for each address, the same for all ways to write it and in every process; 0 for none."""
    names = [canonical(address).encode("utf-8", "surrogatepass") if address else b"" for address in addresses]
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    hashes = _core.hash_texts(
        np.frombuffer(b"".join(names), np.uint8), np.concatenate([[0], np.cumsum(lengths)])
    )
    return np.where(lengths, hashes.view(np.int64), 0)
