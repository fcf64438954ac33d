"""How well a word's senses are told apart in context, on SemCor's tags.

    python benchmarks/senses.py --data DIR [--tokens 600] [--out auto]

Lemmas of SemCor; 20 % of the sentences are for test, and 15 % of the others for validation.
The parents of a lemma are its synsets, with three levels of hypernyms above; no sense tag is seen but where a row says
so. Asked are tagged tokens of the other sentences whose lemma has several senses of the token's part of speech, among
these senses. Chosen on validation: how many words to either side are the context, and whether frequent words count
less.

- random: the mean over all senses.
- first sense: the order of WordNet, which comes from counts of tags, SemCor's own test sentences among them.
- most frequent sense: counted on the training sentences, the first sense where there is none.
- VBN, weights equal: all synsets of a lemma weigh the same; nothing is known of how frequent a sense is.
- VBN, weights of training: a synset weighs 1 + its tags in the training sentences.

Of each, "alone" takes the sense with the largest weight, whatever the context.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from reproduction.datasets import load_semcor
from reproduction.datasets.semcor import Corpus
from reproduction.words.corpus import split
from vbn.datasets import WordNet, break_cycles
from vbn.inference import Split, expected_cooccurrences, split_occurrences

LEVELS = 3
WINDOWS = (5, 10, 40)
SETTINGS = [(window, thinned) for window in WINDOWS for thinned in (True, False)]
_PARTS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


class Token(NamedTuple):
    """A tagged token: where it is, its lemma, the senses that it may have and those that are right."""

    sentence: int
    place: int
    lemma: str
    senses: tuple[str, ...]
    right: frozenset[str]


def tokens_of(corpus: Corpus, wordnet: WordNet, sentences: list[int]) -> list[Token]:
    """All tagged tokens whose lemma has several senses of their part of speech."""
    keys = {}
    for line in wordnet.text("index.sense").splitlines():
        key, offset, *_ = line.split()
        keys[key] = _PARTS[key.split("%")[1][0]], offset
    found = []
    for i in sentences:
        for place, (lemma, tag) in enumerate(zip(corpus.lemmas[i], corpus.senses[i], strict=True)):
            tags = [keys[key] for key in (tag or "").split(";") if key in keys and key.split("%")[0] == lemma]
            senses = tuple(wordnet.name(sense.id) for sense in wordnet.senses(lemma, tags[0][0])) if tags else ()
            if len(senses) > 1:
                found.append(Token(i, place, lemma, senses, frozenset(wordnet.name(tag) for tag in tags)))
    return found


def edges_of(wordnet: WordNet, lemmas: list[str], tagged: Counter[tuple[str, str]]) -> list[tuple[str, str, float]]:
    """Lemmas below their synsets, and these below their hypernyms; names of synsets begin with a star."""
    edges, level = [], set()
    for lemma in lemmas:
        for sense in (sense for part in "nvar" for sense in wordnet.senses(lemma, part)):
            edges.append((lemma, f"*{wordnet.name(sense.id)}", 1.0 + tagged[lemma, wordnet.name(sense.id)]))
            level.add(sense.id)
    done: set[Any] = set()
    for _ in range(LEVELS):
        above = set()
        for synset in sorted(level - done):
            for other in wordnet.synsets[synset].hypernyms:
                edges.append((f"*{wordnet.name(synset)}", f"*{wordnet.name(other)}", 1.0))
                above.add(other)
        done |= level
        level = above
    return break_cycles(edges)[0]


class Judge:
    """A trained model, and the senses of the lemmas that were asked for so far."""

    def __init__(self, model: vbn.VBN, corpus: Corpus) -> None:
        data = model.data_
        assert data is not None
        self.corpus, self.trained, self._splits = corpus, model.trained_, dict[str, Split]()
        self._shown = expected_cooccurrences(data, model._sampler(data), model.settings_["subsample"])

    def split(self, lemma: str) -> Split:
        """The occurrences of a lemma in the training sentences by sense."""
        if lemma not in self._splits:
            self._splits[lemma] = split_occurrences(self.trained, lemma, "column", self._shown)
        return self._splits[lemma]

    def probabilities(self, token: Token, window: int, thinned: bool) -> np.ndarray:
        """Of each of the token's senses, given the words around it."""
        words, at, names = self.corpus.lemmas[token.sentence], token.place, self.trained.columns
        around = [w for w in words[max(0, at - window) : at] + words[at + 1 : at + 1 + window] if w in names]
        ids = names.ids(around) if around else np.empty(0, np.int64)
        weights = self._shown.keep[1][ids] if thinned else np.ones(len(ids))
        return self.of_senses(token, self.split(token.lemma).probabilities(ids, weights))

    def of_senses(self, token: Token, values: np.ndarray) -> np.ndarray:
        """Values of all parents of a lemma for the token's senses."""
        place = {name: at for at, name in enumerate(self.split(token.lemma).parents)}
        return np.array([values[place[f"*{name}"]] if f"*{name}" in place else -1.0 for name in token.senses])


def right(token: Token, values: np.ndarray) -> float:
    """Whether the sense with the largest value is right; the mean of those with equal values."""
    best = np.flatnonzero(values >= values.max() - 1e-12)
    return float(np.mean([token.senses[at] in token.right for at in best]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument(
        "--tokens", type=int, default=600, help="test tokens, at random; a third as many for validation"
    )
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    folder = data_folder(chosen.data, "nlu")
    corpus, wordnet = load_semcor(folder, lower=True, split=False), WordNet.open(folder)
    parts = split([[i] for i in range(len(corpus.lemmas))])  # type: ignore[misc]
    training, validation, test = ([i for (i,) in part] for part in (parts.training, parts.validation, parts.test))
    sentences = [corpus.lemmas[i] for i in training]
    known = sorted({lemma for sentence in sentences for lemma in sentence})
    tagged = Counter((t.lemma, name) for t in tokens_of(corpus, wordnet, training) for name in t.right)
    rng, asked, there = np.random.default_rng(0), {}, set(known)
    for name, ids, n in (("validation", validation, chosen.tokens // 3), ("test", test, chosen.tokens)):
        every = [t for t in tokens_of(corpus, wordnet, ids) if t.lemma in there]
        asked[name] = [every[at] for at in rng.permutation(len(every))[:n]]
        print(f"{name}: {len(asked[name]):,} of {len(every):,} tokens", flush=True)
    hits: dict[str, list[float]] = {
        "random": [float(np.mean([name in t.right for name in t.senses])) for t in asked["test"]],
        "first sense": [t.senses[0] in t.right for t in asked["test"]],
        "most frequent sense": [
            t.senses[int(np.argmax([tagged[t.lemma, name] for name in t.senses]))] in t.right for t in asked["test"]
        ],
    }
    runs: list[dict[str, Any]] = []
    for title, counts in (("VBN, weights equal", Counter()), ("VBN, weights of training", tagged)):
        data = vbn.Dataset.from_sequences(sentences, window=5)
        data = data.with_taxonomy(edges_of(wordnet, known, counts))
        judge = Judge(vbn.VBN(epochs=12, favour=None, verbose=False).fit(data), corpus)
        tried = {
            setting: float(np.mean([right(t, judge.probabilities(t, *setting)) for t in asked["validation"]]))
            for setting in SETTINGS
        }
        best = max(tried, key=lambda setting: tried[setting])
        for (window, thinned), accuracy in tried.items():
            runs.append(
                {"row": title, "part": "validation", "window": window, "thinned": thinned, "accuracy": accuracy}
            )
            print(runs[-1], flush=True)
        hits[f"{title}, alone"] = [right(t, judge.of_senses(t, judge.split(t.lemma).weights)) for t in asked["test"]]
        hits[title] = [right(t, judge.probabilities(t, *best)) for t in asked["test"]]
    against = np.array(hits["most frequent sense"], dtype=float)
    for title, found in hits.items():
        values = np.array(found, dtype=float)
        apart = values - against
        row = {"row": title, "part": "test", "tokens": len(values), "accuracy": float(values.mean())}
        row |= {"above_mfs": float(apart.mean()), "error": float(apart.std(ddof=1) / np.sqrt(len(apart)))}
        runs.append(row)
        print(f"{title:<34} {100 * row['accuracy']:5.1f}   {100 * row['above_mfs']:+5.1f} ± {100 * row['error']:.1f}")
    write_result("senses", vars(chosen), runs, chosen.out)


if __name__ == "__main__":
    main()
