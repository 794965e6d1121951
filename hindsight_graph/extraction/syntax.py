"""A parsed sentence as plain data: words with their grammatical relations. Whoever reads it needs no parser."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Word:
    """One word of a parsed sentence.

    Attributes:
        index: Its place in the sentence.
        text, lower: As written, and in lower case.
        lemma: Its base form in lower case.
        tag: Penn Treebank part of speech: NN, NNP, VBZ, IN …
        dep: Its grammatical relation to its head, in the ClearNLP scheme: nsubj, dobj, prep, pobj, conj …
        head: Index of its head; its own for the root.
        start, end: Characters of the sentence.
    """

    index: int
    text: str
    lower: str
    lemma: str
    tag: str
    dep: str
    head: int
    start: int
    end: int

    @property
    def is_noun(self) -> bool:
        """Whether it is a noun, a name or a number."""
        return self.tag.startswith("NN") or self.tag in {"CD", "ADD", "FW", "XX"}

    @property
    def is_verb(self) -> bool:
        """Whether it is a form of a full or auxiliary verb."""
        return self.tag.startswith("VB") or self.tag == "MD"


@dataclass(frozen=True, slots=True)
class Parse:
    """A sentence with its words in order, and for each the indices of its children in order."""

    text: str
    words: tuple[Word, ...]
    children: tuple[tuple[int, ...], ...] = field(default=())

    def kids(self, index: int, *deps: str) -> list[Word]:
        """Return the children of a word, in order; with `deps`, those in one of these relations."""
        return [self.words[at] for at in self.children[index] if not deps or self.words[at].dep in deps]

    def first(self, index: int, *deps: str) -> Word | None:
        """Return the first child in one of the relations."""
        return next(iter(self.kids(index, *deps)), None)

    def subtree(self, index: int) -> list[int]:
        """Return the indices of a word and all below it, in order of the sentence."""
        found, wait = [index], [index]
        while wait:
            below = self.children[wait.pop()]
            found.extend(below)
            wait.extend(below)
        return sorted(found)


def make_parse(text: str, words: list[Word]) -> Parse:
    """Return the parse of words whose heads are known."""
    below: list[list[int]] = [[] for _ in words]
    for word in words:
        if word.head != word.index:
            below[word.head].append(word.index)
    return Parse(text, tuple(words), tuple(tuple(one) for one in below))
