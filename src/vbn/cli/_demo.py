"""`vbn demo`: the whole story on the bundled data."""

from __future__ import annotations

from typing import Annotated

import typer

from vbn.cli._app import verb


@verb("vbn demo")
def demo(
    out: Annotated[str, typer.Option(help="Folder for the trained model.")] = "vbn-demo-model",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of each of the two trainings.")] = 15,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
) -> None:
    """The whole story on the bundled data, in a minute or two.

    Trains with and without a taxonomy, compares the two, adds words, asks for antonyms.
    """
    from vbn.cli._story import run_demo

    run_demo(out, epochs=epochs, seed=seed)
