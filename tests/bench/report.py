"""How a figure is told."""

from __future__ import annotations


def row(what: str, figure: str, ratio: float | None, reach: float | None, note: str = "x Pi") -> None:
    """One line: the figure, beside what (`ratio` and `note`), and how far it is to come (`reach`).

    Without a ratio it is the figure itself that has a reach.
    """
    judged = float(figure) if ratio is None and reach else ratio
    told = f"{ratio:6.3f} {note}" if ratio is not None else f"{'':6} {note if note != 'x Pi' else ''}"
    goal = f"  (reach: {reach}){'' if judged is None or judged <= reach else '  MISSED'}" if reach else ""
    print(f"  {what:28} {figure:>10}  {told}{goal}".rstrip(), flush=True)
