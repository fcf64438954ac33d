"""`vbn bench`: how fast it is on this machine, as ratios to peers and to the memory floor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import AsJson


@verb(
    "vbn bench kernel sampling fold-in",
    "vbn bench --data data --out bench.json",
    "vbn bench top-k --scale 0.1",
)
def bench(
    rows: Annotated[
        list[str] | None, typer.Argument(metavar="ROWS", help="Which rows; by default all. --list shows them.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder with SemCor and MovieLens, for the rows that need it."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A file for all that was measured, as JSON.")] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Each side of a ratio is timed so often; the fastest counts.")
    ] = 3,
    scale: Annotated[
        float, typer.Option(min=0.0001, max=1.0, help="Share of the work, for a quick look; targets are those of 1.")
    ] = 1.0,
    show_list: Annotated[bool, typer.Option("--list", help="Only show what there is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure speed and memory on this machine.

    Ratios are taken inside one process, both sides in turn, the fastest of several. Peers (gensim, implicit, faiss)
    come with the extra "bench"; rows that lack theirs, or the data, are left out and say so. At full scale all rows
    take a quarter of an hour and 16 GiB.
    """
    from vbn.bench import ROWS, Setting, as_dict, lines, measure
    from vbn.cli._machine import examine
    from vbn.cli._output import print_json, say, show_rows

    if show_list:
        show_rows([{"row": row.key, "work": row.work} for row in ROWS])
        return
    setting = Setting(data, repeats, scale)
    found = measure(rows or (), setting, say)
    facts = examine(self_test=False)
    kept = as_dict(found, setting, {name: facts[name] for name in ("machine", "threads", "versions")})
    if out is not None:
        import json

        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if as_json:
        print_json(kept)
    else:
        show_rows([{"row": key, "measured (target)": text, "": met} for key, text, met in lines(found)])
