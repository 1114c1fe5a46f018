"""Sessions of any shape: their tails, and the same in slices."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pivi.pi.records import decode_lines
from pivi.transcript import blocks as b
from tests.support.entries import HEADER, answer, call, entry, header_of, raw, result, transcript, user

STEP = st.tuples(
    st.sampled_from(
        ["user", "answer", "call", "result", "model", "usage", "compaction", "edit", "label", "shout"]
    ),
    st.integers(0, 5),
    st.integers(0, 3),
)


def lines(steps: list[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """A healthy session: parents come before children, results follow their calls on the same branch."""
    made: list[dict[str, Any]] = []
    waiting: list[str] = []
    for number, (kind, back, far) in enumerate(steps):
        own = f"e{number}"
        # Now and then the conversation goes on from an earlier entry.
        parent = f"e{max(0, number - 1 - (back if far == 3 and kind == 'user' else 0))}" if number else None
        target = f"e{max(0, number - 1 - back)}"
        if kind == "answer":
            made.append(answer(own, parent, "words", stop="error" if far == 2 else "stop"))
        elif kind == "call":
            waiting.append(own)
            made.append(answer(own, parent, call(own)))
        elif kind == "result" and waiting:
            made.append(result(own, parent, waiting.pop()))
        elif kind == "model":
            made.append(entry("model_change", own, parent, provider="p", modelId="m"))
        elif kind == "usage":
            made.append(entry("usage", own, parent, kind="k"))
        elif kind == "compaction":
            made.append(entry("compaction", own, parent, summary="s", firstKeptEntryId=parent or own))
        elif kind == "edit" and number:
            made.append(entry("context_edit", own, parent, targetId=target, replacement=None))
        elif kind == "label" and number:
            made.append(entry("label", own, parent, targetId=target, label=f"l{far}"))
        elif kind == "shout":
            made.append(entry("custom_message", own, parent, customType="c", content="x", display=far > 1))
        else:
            made.append(user(own, parent, f"prompt {number}"))
    return made


def bare(block: b.Block) -> dict[str, Any]:
    fields = {name: getattr(block, name) for name in block.__struct_fields__}
    del fields["section"], fields["run"]
    return {"of": type(block).__name__, **fields}


@settings(max_examples=100, deadline=None)
@given(st.lists(STEP, max_size=14))
def test_a_tail_shows_the_end_of_the_whole(steps: list[tuple[str, int, int]]) -> None:
    session = lines(steps)
    whole = [bare(block) for block in transcript(*session).blocks()[1:]]
    for cut in range(len(session)):
        tail = [bare(block) for block in transcript(*session[cut:], partial=True).blocks()[1:]]
        assert tail == whole[len(whole) - len(tail) :], cut


@settings(max_examples=100, deadline=None)
@given(st.lists(STEP, max_size=14))
def test_slices_make_the_same_and_change_nothing_handed_out(steps: list[tuple[str, int, int]]) -> None:
    session = lines(steps)
    grown = transcript()
    kept: list[tuple[b.Block, dict[str, Any], tuple[str, str]]] = []
    for line in raw(*session):
        grown.extend(decode_lines([line]))
        found = grown.blocks()
        assert all(bare(one) == was and (one.section, one.run) == at for one, was, at in kept)
        grown.move_leaf(grown.leaf_id)
        again = grown.blocks()
        assert len(again) == len(found) and all(one is other for one, other in zip(found, again, strict=True))
        kept = [(one, bare(one), (one.section, one.run)) for one in found]
    assert grown.blocks() == transcript(*session).blocks()


@settings(max_examples=100, deadline=None)
@given(st.lists(STEP, max_size=14), st.randoms(use_true_random=False))
def test_damaged_sessions_lose_nothing_and_end(steps: list[tuple[str, int, int]], random: Any) -> None:
    session = lines(steps)
    for line in session:
        if random.random() < 0.3:
            line["parentId"] = random.choice([None, "gone", line["id"], f"e{random.randrange(15)}", 5])
        if random.random() < 0.1:
            line["id"] = random.choice(["e0", None, 7, ""])
    random.shuffle(session)
    found = transcript(*session).blocks()
    prompts = [line["message"] for line in session if "message" in line and line["message"]["role"] == "user"]
    assert sum(isinstance(block, b.Prompt) for block in found) == len(prompts)
    assert len({block.key for block in found}) == len(found)


def test_the_list_is_made_again_only_where_something_changed() -> None:
    made = transcript(user("a", None), answer("b", "a", "words"))
    found = made.blocks()
    assert made.blocks() is found
    made.move_leaf("a")
    assert [type(block) for block in made.blocks()] == [b.Title, b.Prompt, b.Branch, b.Reply, b.Answer]
    made.header = header_of(raw({**HEADER, "cwd": "/q"})[0])
    first = made.blocks()[0]
    assert isinstance(first, b.Title) and first.cwd == "/q"
    made.extend(decode_lines(raw(user("c", "a", "again"))))
    assert isinstance(made.blocks()[-1], b.Prompt)
