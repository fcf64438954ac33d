"""Something to try: `vbn demo` on the bundled data, and `vbn data`, simulated or downloaded."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vbn._errors import ParameterError
from vbn.cli.app import app, verb
from vbn.cli.shared import check_model_folder, check_serving, say, serve_model

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from vbn.data import Dataset, Taxonomy
    from vbn.datasets import Bundled
    from vbn.estimators import VBN

RARE_WORDS = ("brie", "chaffinch", "beagle", "gnu", "goulash", "bisque")
NEW_WORDS = (("halloumi", "cheese"), ("labradoodle", "dog"))
ANTONYMS = ("left", "inner", "wet", "sweet", "full")
BANDS = (("unseen", 0, 0), ("1 to 3 times", 1, 3), ("4 to 20 times", 4, 20), ("more often", 21, 10**9))


@verb("vbn demo")
def demo(
    out: Annotated[str, typer.Option(help="Folder for the trained model.")] = "vbn-demo-model",
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs of each of the two trainings [auto].")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Serve the model at the end, and open a browser.")] = False,
) -> None:
    """Show the whole story on the bundled data, in a minute or two.

    Trains with and without a taxonomy, compares the two, adds words, asks for antonyms. With --open it ends in the
    explorer, which needs pip install 'vbn[serve]'.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.text import Text

    from vbn.cli.run_files import forget
    from vbn.data import Dataset
    from vbn.datasets import load_bundled

    check_model_folder(Path(out))
    if open_page:
        check_serving()
    console = Console(highlight=False)
    bundled = load_bundled()
    console.rule("[bold]vbn: entities as probability densities", align="left")
    console.print(
        "Words of WordNet's definitions of food, animals and the body: which words occur together, hypernyms as a "
        "taxonomy, antonyms and parts as relations. Four words in five are seen at most three times.\n"
    )
    console.print(Text(str(bundled.train.describe())))
    started = time.perf_counter()
    console.print("\n[bold]Training[/bold] with the taxonomy and the relations, then without:")
    model = _trained(bundled.train, epochs, seed)
    counts = Dataset(bundled.train.rows, None, bundled.train.counts, kind=bundled.train.kind)
    plain = _trained(counts, epochs, seed)
    console.print(f"two models in {time.perf_counter() - started:.0f} s\n")
    _show_rare_words(console, model, plain, bundled)
    _show_certainty(console, model, bundled)
    _show_new_words(console, model)
    _show_antonyms(console, model, bundled)
    _show_score(console, model, plain, bundled, seed)
    folder = model.save(out)
    forget(folder, checkpoint=True)
    console.print(f"\nThe model is saved in [bold]{escape(str(folder))}[/bold]. Play with it:")
    here = shlex.quote(str(folder))
    for asked in ("similar {} gouda", "related {} antonym left", "explain {} brie"):
        console.print(Text(f"  vbn {asked.format(here)}", style="cyan"), soft_wrap=True)
    if open_page:
        serve_model(folder, port=0, open_page=True)
        return
    console.print(Text("See it in a browser (needs pip install 'vbn[serve]'):"))
    console.print(Text(f"  vbn serve {here} --open", style="cyan"), soft_wrap=True)


data = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Data to try things out on.")
app.add_typer(data, name="data")


@verb("vbn data example shop", of=data)
def example(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="shop or phenotypes; any other name is a folder for a shop.")
    ] = "shop",
    folder: Annotated[Path | None, typer.Argument(metavar="FOLDER", help="Folder to write to [NAME].")] = None,
    customers: Annotated[int, typer.Option(min=1, help="How many customers the shop has.")] = 600,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same shop.")] = 0,
) -> None:
    """Write csv files to try things out on.

    shop: simulated orders.csv (customer, product) and catalogue.csv (child, parent). phenotypes: annotations.csv
    (disease, phenotype, date), ontology.csv (child, parent) and definitions.csv (phenotype, text) of the Human
    Phenotype Ontology, which the extra "phenotypes" installs.
    """
    from vbn.datasets import write_phenotypes, write_shop

    place = Path(name) if folder is None else folder
    if name == "phenotypes":
        written = write_phenotypes(place, tell=say)
    elif name == "shop" or folder is None:
        written = write_shop(place, customers, seed)
    else:
        raise ParameterError(f"no example is called {name!r}; there are shop and phenotypes.")
    for file in sorted(written.glob("*.csv")):
        typer.echo(file)


@verb("vbn data get ml-1m --to data", of=data)
def get(
    name: Annotated[str, typer.Argument(help="ml-1m, ml-25m, ml-latest-small, semcor or wordnet.")],
    to: Annotated[Path, typer.Option(help="Folder to put it in.")] = Path("data"),
) -> None:
    """Download, check and unpack a public data set."""
    from vbn.datasets import download

    typer.echo(download(name, to, tell=say))


def _trained(data: Dataset, epochs: int | None, seed: int) -> VBN:
    from vbn.estimators import VBN

    model = VBN(epochs=epochs or "auto", seed=seed).fit(data)
    if model.interrupted_:  # the fit keeps what it has, but Ctrl-C is meant for the demo
        raise KeyboardInterrupt
    return model


def _neighbours(model: VBN, word: str, k: int = 4) -> str:
    return ", ".join(row.entity for row in model.similar(word, k=k, readout="smoothed"))


def _show_rare_words(console: Console, model: VBN, plain: VBN, bundled: Bundled) -> None:
    from rich.table import Table

    taxonomy = _taxonomy(bundled)
    table = Table(title="Rare words land beside their relatives", title_justify="left", title_style="bold")
    for name, style in (("word", "bold"), ("seen", ""), ("parent", ""), ("vbn", "green"), ("no taxonomy", "red")):
        table.add_column(name, style=style, justify="right" if name == "seen" else "left")
    for word in RARE_WORDS:
        parents = ", ".join(parent for parent, _ in taxonomy.parents(word))
        table.add_row(
            word, str(bundled.frequency.get(word, 0)), parents, _neighbours(model, word), _neighbours(plain, word)
        )
    console.print(table)


def _show_certainty(console: Console, model: VBN, bundled: Bundled) -> None:
    import numpy as np

    console.print(
        "\n[bold]How sure it is[/bold]: median standard deviation of a density, by how often the word was seen"
    )
    categories = _taxonomy(bundled).category_ids
    words = sorted(set(bundled.train.rows.names) - {bundled.train.rows[int(i)] for i in categories})
    spreads: dict[str, list[float]] = {name: [] for name, _, _ in BANDS}
    for word in words[::3]:
        seen = bundled.frequency.get(word, 0)
        band = next(name for name, least, most in BANDS if least <= seen <= most)
        spreads[band].append(float(model.posterior(word).std.mean()))
    middles = {name: float(np.median(values)) for name, values in spreads.items()}
    widest = max(middles.values())
    for name, middle in middles.items():
        console.print(f"  {name:<14} {middle:5.2f}  [blue]{'█' * round(40 * middle / widest)}[/blue]")


def _show_new_words(console: Console, model: VBN) -> None:
    console.print("\n[bold]Words that did not exist a second ago[/bold]: name and parent, and they have a density")
    for word, parent in NEW_WORDS:
        model.add(word, parents=[parent])
        console.print(f'  add("{word}", parents=["{parent}"])  ->  [green]{_neighbours(model, word)}[/green]')


def _show_antonyms(console: Console, model: VBN, bundled: Bundled) -> None:
    pairs, names = bundled.train.relations["antonym"], bundled.train.rows
    console.print(
        "\n[bold]A typed relation[/bold]: antonyms with probability; known ones first, in green, then guesses"
    )
    for word in ANTONYMS:
        answers = model.related("antonym", word, k=5)
        found = zip(answers.entities, answers.scores, answers.known, strict=True)
        shown = (f"[{'green' if known else 'default'}]{entity} {p:.3f}[/]" for entity, p, known in found)
        console.print(f"  {word:<8} {', '.join(shown)}")
    asked = sorted({names[left] for left in pairs.left.tolist()})[::64]
    hits = sum(any(model.related("antonym", word, k=5, known="ranked").known) for word in asked)
    console.print(
        f"  ranked by probability alone, a known antonym is among the first five of {len(names):,} names for "
        f"{100 * hits / len(asked):.0f} % of {len(asked)} words"
    )


def _taxonomy(bundled: Bundled) -> Taxonomy:
    taxonomy = bundled.train.taxonomy
    assert taxonomy is not None
    return taxonomy


def _show_score(console: Console, model: VBN, plain: VBN, bundled: Bundled, seed: int) -> None:
    from rich.table import Table

    title = "Held-out definitions: which of two equally frequent words stood near it? (% right, chance is 50)"
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in ("word was seen", "pairs", "vbn", "no taxonomy", "difference"):
        table.add_column(name, justify="left" if name == "word was seen" else "right")
    left, right, wrong, seen = _contests(bundled, seed)
    ours, theirs = (_won(m, left, right, wrong) for m in (model, plain))
    for name, least, most in BANDS:
        chosen = (seen >= least) & (seen <= most)
        a, b = 100 * ours[chosen].mean(), 100 * theirs[chosen].mean()
        style = "green" if a > b else "red"
        table.add_row(name, f"{chosen.sum():,}", f"{a:.1f}", f"{b:.1f}", f"[{style}]{a - b:+.1f}[/{style}]")
    console.print()
    console.print(table)


def _contests(bundled: Bundled, seed: int) -> tuple[list[str], list[str], list[str], np.ndarray]:
    """Return held-out (word, neighbour) pairs, a word as frequent as the neighbour, and how often the word was seen."""
    import numpy as np

    heldout, rng = bundled.heldout, np.random.default_rng(seed)
    names, counts = bundled.train.rows.names, bundled.train.rows.counts
    left, right = [*heldout.left, *heldout.right], [*heldout.right, *heldout.left]
    seen = np.concatenate([heldout.left_frequency, heldout.right_frequency])
    known = np.concatenate([heldout.right_frequency, heldout.left_frequency])
    seen_words = np.flatnonzero(counts > 0)
    by_count = seen_words[np.argsort(counts[seen_words], kind="stable")]
    low = np.searchsorted(counts[by_count], known, side="left")
    high = np.searchsorted(counts[by_count], known, side="right")
    usable = (known > 0) & (high > low)
    drawn = by_count[(low + rng.random(len(low)) * (high - low)).astype(np.int64).clip(0, len(by_count) - 1)]
    keep = np.flatnonzero(usable & (np.array(right, dtype=object) != np.array(names, dtype=object)[drawn]))
    return [left[i] for i in keep], [right[i] for i in keep], [names[drawn[i]] for i in keep], seen[keep]


def _won(model: VBN, left: list[str], right: list[str], wrong: list[str]) -> np.ndarray:
    import numpy as np

    truth = model.predict_proba(zip(left, right, strict=True))
    other = model.predict_proba(zip(left, wrong, strict=True))
    return np.asarray(np.where(truth == other, 0.5, truth > other))
