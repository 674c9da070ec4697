"""Near-duplicates on pages: CEDAR's tables 1 and 2 as an experiment, `python -m benchmarks.pages`.

The same made-up articles, as they are and lightly edited, are set into the furniture of 27 made-up sites. Every pair of
pages gets its resemblance by 2-word shingles, from what each way of extraction takes out of them; how well that tells
pairs of one story from all others is the area under the ROC curve. Pairs without a common shingle score 0, and ties
count half; the standard error is Hanley and McNeil's.

Gibson, Wellner, Lubar, "Identification of Duplicate News Stories in Web Pages", 2008: 1621 pages of 27 sites.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.run import check, table
from wirecopy.evaluation.experiments.cedar import WAYS, measure
from wirecopy.evaluation.experiments.furniture import make_collection

WITHIN, TENTH = 0.005, 0.1
"""How far from the labelled text's area extraction may be; and of the whole page's distance from 1, the most that may be left."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    collection = make_collection(options.pages, options.seed)
    sites = len({article.source for article in collection.articles})
    measured = measure(collection)
    print(f"\n== {options.pages} made-up pages of {sites} sites, near-duplicates by 2-word shingles ==\n")
    rows = [
        [way.name, f"{measured[way.name][0]:.7f} ± {measured[way.name][1]:.7f}", way.paper] for way in WAYS
    ]
    print(table(["extraction", "AU-ROC", "the paper's"], rows))
    whole, labelled = measured["whole page"][0], measured["labelled text"][0]
    under = measured["crf (CE-BEST)"][0]
    left = (1 - under) / (1 - whole)
    lines = [
        ("crf, below the labelled text", labelled - under, f"≤ {WITHIN}", labelled - under <= WITHIN),
        ("crf, distance from 1, of the whole page's", left, f"≤ {TENTH}", left <= TENTH),
    ]
    return 0 if check(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
