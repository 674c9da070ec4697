"""Files that an archive has under two ids: the id of a file depends on the arguments that it was added by."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..model import Articles
from .digests import FORM, digest, values_of
from .store import Content, Store


def find_elsewhere(store: Store, batch: Articles, contents: Sequence[bytes]) -> Mapping[str, Sequence[str]]:
    """The other ids under which a store has each article of a batch that is a file, by the id that it has it under now.

    These are the ids that its path can give, with more folders in front or fewer, if all that is known of the article is the same.
    """
    names = {row: others for row in range(len(batch)) if (others := _other_names(batch, row))}
    there = store.contents([id for row, others in names.items() for id in (batch.ids[row], *others)])
    by_form = {
        form: contents if form == FORM else digest(values_of(batch), form)
        for form in {one.form for one in there.values()}
    }

    def is_same(found: Content | None, row: int) -> bool:
        return found is not None and found.digest == by_form[found.form][row]

    elsewhere = {
        batch.ids[row]: [id for id in others if is_same(there.get(id), row)]
        for row, others in names.items()
        if is_same(there.get(batch.ids[row]), row)
    }
    return {id: others for id, others in elsewhere.items() if others}


def _other_names(batch: Articles, row: int) -> list[str]:
    """The ids that an article could have by its path; none if its id does not come from it."""
    if batch.where is None:
        return []
    path = os.path.abspath(batch.where(row))  # noqa: PTH100 - links stay
    if not path.endswith(f"/{batch.ids[row]}"):
        return []
    parts = path.strip("/").split("/")
    names = ("/".join(parts[-count:]) for count in range(1, len(parts) + 1))
    return [name for name in names if name != batch.ids[row]]
