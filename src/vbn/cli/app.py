"""The application: its verbs, its own options, and how it ends.

Every error, Ctrl-C and closed pipe becomes one line and an exit code; `--debug` shows a traceback. Exit codes: 0, 1 if
something failed, 2 for wrong usage (options, parameters), 130 after Ctrl-C, 141 if nobody reads the output any more.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from vbn._errors import ParameterError, VBNError
from vbn._version import __version__
from vbn.cli.entry import INTERRUPTED, was_interrupted
from vbn.cli.wording import in_options, told_usage

FAILED, WRONG_USAGE, PIPE_CLOSED = 1, 2, 141

# Verbs in the order of the help, and their modules, which import what is heavy only when they are run.
VERBS = {
    "demo": "demo",
    "train": "train",
    "tune": "tune",
    "update": "update",
    "info": "upkeep",
    "similar": "ask",
    "recommend": "ask",
    "audience": "ask",
    "related": "ask",
    "predict": "ask",
    "explain": "ask",
    "senses": "ask",
    "audit": "ask",
    "add": "manage",
    "observe": "observe",
    "forget": "upkeep",
    "calibrate": "upkeep",
    "export": "manage",
    "evaluate": "evaluate",
    "serve": "manage",
    "data": "demo",
    "doctor": "machine",
}
MOVED = ("reproduce", "bench")  # to the checkout
FIRST = """vbn: entity embeddings as probability densities, with a taxonomy as prior.

Three things to do first:

  vbn demo --open                        the whole story on bundled data, in a minute, then in the browser
  vbn train orders.csv --out my-model    a model of your own data; --catalogue items.csv adds a taxonomy
  vbn serve my-model --open              the explorer and the REST service (pip install 'vbn[serve]')

`vbn --help` lists all commands, `vbn COMMAND --help` explains one."""

Function = TypeVar("Function", bound=Callable[..., Any])
_options: frozenset[str] | None = None  # of the verb that runs


class Verb(TyperCommand):
    """A command whose help shows options by panel, in plain text: rich would take longer to import than all else."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, without the braces that newer typers put around arguments."""
        return [re.sub(r"^\{(\w+)\}", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options by panel, in the order in which the panels first occur."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            shown = param.get_help_record(ctx)
            if shown is not None:
                plain = "Arguments" if param.param_type_name == "argument" else "Options"
                sections.setdefault(getattr(param, "rich_help_panel", None) or plain, []).append(shown)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; errors and warnings recommend its own options only."""
        global _options
        _options = frozenset(option for param in self.params for option in (*param.opts, *param.secondary_opts))
        return super().invoke(ctx)


class Guarded(TyperGroup):
    """A group of commands whose errors are told in one line, unless `--debug` asks for the traceback."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's signature
        """Return the verbs in the order of the help."""
        return sorted(self.commands, key=[*VERBS, *MOVED].index)

    def main(self, *args: Any, **options: Any) -> Any:
        """Parse and run, and end the program."""
        try:
            code = super().main(*args, **options | {"standalone_mode": False})
        except Exception as error:
            if not hasattr(error, "format_message"):  # not one of typer's
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                if getattr(getattr(error, "ctx", None), "parent", None) is None:  # of no verb
                    typer.echo(FIRST)
                    sys.exit(0)
                typer.echo(error.format_message(), err=True)
            else:
                typer.echo(told_usage(error), err=True)
            sys.exit(getattr(error, "exit_code", WRONG_USAGE))
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse the options before the verb; the parser itself is slow to import."""
        try:
            return super().make_context(*args, **options)
        except BaseException as error:
            if not was_interrupted(error):
                raise
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # a closed pipe shows here, not when Python ends
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt as interrupt:
            typer.echo(str(interrupt).partition("\n")[0] or "interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:  # the parser does not always say whose option it was
                error.verb = f"vbn {ctx.invoked_subcommand}"  # type: ignore[attr-defined]
            if hasattr(error, "exit_code") or ctx.params.get("debug"):  # typer's own, or wanted with its traceback
                raise
            if was_interrupted(error):
                typer.echo("interrupted", err=True)
                raise typer.Exit(INTERRUPTED) from None
            typer.echo(told(error, _options), err=True)
            raise typer.Exit(WRONG_USAGE if isinstance(error, ParameterError) else FAILED) from None
        return result


app = typer.Typer(
    cls=Guarded,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def verb(*examples: str, of: typer.Typer = app) -> Callable[[Function], Function]:
    """Register a function as a command whose help ends with examples."""
    lines = "\n".join(f"  {example}" for example in examples)
    return of.command(cls=Verb, epilog=f"\b\nExample{'s' if examples[1:] else ''}:\n{lines}")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vbn {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback if something fails (before or after the command).")
    ] = False,
) -> None:
    """Entity embeddings as probability densities, with a taxonomy as prior.

    Results go to standard output, progress and errors to standard error. Exit code 0, 1 if something failed, 2 for
    wrong usage, 130 after Ctrl-C.
    """


def _moved(verb: str) -> None:
    """Register a hidden command that says where a verb went."""

    def tell(rest: Annotated[list[str] | None, typer.Argument()] = None) -> None:  # noqa: ARG001 - whatever it was
        typer.echo(f"vbn {verb} has moved: run `make {verb}` in a checkout of the repository.", err=True)
        raise typer.Exit(WRONG_USAGE)

    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(verb, hidden=True, add_help_option=False, context_settings=settings)(tell)


for _verb in MOVED:
    _moved(_verb)


def run() -> None:
    """Run the verb that the arguments name, and end the program with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot print is not an error
    warnings.showwarning = _warn
    for name in dict.fromkeys(VERBS.values()):
        importlib.import_module(f"vbn.cli.{name}")
    app(debug_first(sys.argv[1:]), prog_name="vbn")


def told(error: BaseException, options: frozenset[str] | None = None) -> str:
    """Return an error as one line for a user of a verb that has these options."""
    message = in_options(error, options) if isinstance(error, VBNError) else str(error)
    message = " ".join(filter(None, map(str.strip, message.splitlines())))  # spaces within a name stay
    if isinstance(error, VBNError):
        return f"error: {message}"
    if isinstance(error, OSError):
        return f"error: {error.filename or 'the system'}: {error.strerror or message}"
    if isinstance(error, MemoryError):
        return f"error: out of memory. {message}".rstrip()
    return f"internal error: {type(error).__name__}: {message}; run with --debug and report it"


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    typer.echo(f"warning: {in_options(message, _options)}", err=True)


def debug_first(arguments: list[str]) -> list[str]:
    """Let `--debug` stand anywhere, but not after "--", where names begin."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options, names = arguments[:end], arguments[end:]
    if "--debug" not in options:
        return arguments
    return ["--debug", *(option for option in options if option != "--debug"), *names]


def _forget_output() -> None:
    """Let Python flush its output to nowhere when it ends, as the pipe is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
