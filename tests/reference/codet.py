"""CoDet, slowly: the twin of `rust/src/codet.rs` and `methods/codet.py`.

From Varol, Can, Aykanat, Kaya 2011, on lists of words: once as a tree of nodes that list the documents visiting them
(section 3.2), once as the sum over all pairs of sentences (formulas 1 and 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import log

Path = tuple[str, ...]
Sentences = Sequence[Sequence[str]]


def idfs(collection: Sequence[Sentences], words: Iterable[str]) -> dict[str, float]:
    """log(N / df) + 1 of each word; one that no document has counts as being in one."""
    sets = [{word for sentence in document for word in sentence} for document in collection]
    return {
        word: log(max(len(sets), 1) / max(sum(word in document for document in sets), 1)) + 1
        for word in words
    }


def paths(
    sentences: Sentences, idf: Mapping[str, float], suffixes: int, depth: int, *, sort: bool
) -> set[Path]:
    """What a document inserts into the tree: PSC suffixes of each sentence, DT words of each."""
    found = set()
    for sentence in sentences:
        words = sorted(sentence, key=lambda word: (-idf[word], word)) if sort else list(sentence)
        for start in range(suffixes):
            if words[start:]:
                found.add(tuple(words[start : start + depth]))
    return found


@dataclass
class Node:
    """A node of the corpus tree; the document list has a document once for each of its paths."""

    label: str = ""
    depth: int = 0
    children: dict[str, Node] = field(default_factory=dict)
    documents: list[int] = field(default_factory=list)

    def walk(self, path: Path) -> Iterator[Node]:
        """The nodes along a path, made where there are none."""
        node = self
        for word in path:
            node = node.children.setdefault(word, Node(word, node.depth + 1))
            yield node


@dataclass
class Tree:
    """The corpus tree, which documents are inserted into one after the other."""

    idf: Mapping[str, float]
    root: Node = field(default_factory=Node)

    def insert(self, document: int, inserted: set[Path]) -> Counter[int]:
        """The similarity to each document that was there before; only those the document meets."""
        similarities = self.visit(inserted)
        for path in inserted:
            for node in self.root.walk(path):
                node.documents.append(document)
        return similarities

    def visit(self, visiting: set[Path]) -> Counter[int]:
        """The similarity to each document in the tree."""
        similarities: Counter[int] = Counter()
        for path in sorted(visiting):
            for node in self.root.walk(path):
                for other in node.documents:
                    similarities[other] += node.depth * self.idf[node.label]  # type: ignore[assignment]
        return similarities


def count_similarities(documents: Sequence[set[Path]], idf: Mapping[str, float]) -> list[int]:
    """How many similarities the tree computes when each document is inserted: with how many earlier ones it meets."""
    tree = Tree(idf)
    return [len(tree.insert(number, inserted)) for number, inserted in enumerate(documents)]


def by_tree(documents: Sequence[set[Path]], idf: Mapping[str, float]) -> list[list[float]]:
    """CS of all pairs of documents, from the finished tree."""
    tree = Tree(idf)
    for number, inserted in enumerate(documents):
        tree.insert(number, inserted)
    return [[float(met[other]) for other in range(len(documents))] for met in map(tree.visit, documents)]


def sentence_similarity(one: Path, other: Path, idf: Mapping[str, float]) -> float:
    """Formula 2."""
    common = [word for word, _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False))]
    return sum(k * idf[word] for k, word in enumerate(common, 1))


def similarity(one: set[Path], other: set[Path], idf: Mapping[str, float], *, tree: bool = True) -> float:
    """Formula 1; without the tree only sentences that agree in all words count."""
    return sum(
        sentence_similarity(si, sj, idf) for si in sorted(one) for sj in sorted(other) if tree or si == sj
    )
