"""The address holds the view: what is written, restored, gone back to, and said of a wrong link."""

from collections.abc import Callable
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest

from browser.conftest import Pages
from browser.page_logs import HOSTILE

HASH = "return location.hash"
ENTRIES = "return window.entries"
NOTICE = "return [...document.querySelectorAll('#notice p')].map((p) => p.textContent)"
# What can be seen, from which the address is made; not from the address.
VIEW = """
const {selected, tensor, lens, engine, mode, hits, collapsed, panes, finding,
  table} = engineLayers;
return {selected, tensor, lit: lens?.title ?? null, engine: engine.head.index, mode, hits,
  profile: engine.now.number,
  collapsed: [...collapsed].sort((a, b) => a - b), pane: panes.open,
  rule: finding?.rule.code ?? null, finding: finding?.message ?? null,
  first: table.order().slice(0, 5),
  query: document.getElementById("search").value, level: document.getElementById("level").value,
  color: document.getElementById("color").value}"""
WHERE = "const {x, y, scale} = engineLayers.cam.view; return [x, y, scale]"


def _count(page: Any) -> None:
    """From now on `ENTRIES` says how many entries the page adds to the history."""
    page.js("""window.entries = 0; const push = history.pushState;
        history.pushState = function (...all) { entries++; push.apply(history, all); }""")


def _sort(page: Any) -> None:
    """Three entries: quick changes become one, so that each waits for that before it."""
    page.js("engineLayers.panes.show('table')")
    for _ in range(2):
        page.written()
        page.find('[data-key="name"]').click()


LIGHT = "engineLayers.select(30); engineLayers.lenses"
STEPS: dict[str, tuple[str, Callable[[Any], None]]] = {
    "selection": ("encoder", lambda page: page.js("engineLayers.select(30)")),
    "an input": ("encoder", lambda page: page.js("engineLayers.select(engineLayers.engine.count)")),
    "colour": ("encoder", lambda page: page.choose("color", "type")),
    "level": ("encoder", lambda page: page.choose("level", "1")),
    "one group": ("encoder", lambda page: page.js("engineLayers.levels.toggleGroup(2)")),
    "pane": ("encoder", lambda page: page.js("engineLayers.panes.show('time')")),
    "sorting": ("encoder", _sort),
    "search": ("encoder", lambda page: page.find("#search").send_keys("type:gemm -q | time>1%")),
    "finding": ("findings", lambda page: page.all("#panel .findings button")[0].click()),
    "upstream": ("encoder", lambda page: page.js(f"{LIGHT}.cone('up')")),
    "a layer in a folded group": (
        "encoder",
        lambda page: page.js("engineLayers.select(12); engineLayers.levels.toggle()"),
    ),
    "tensor": ("encoder", lambda page: page.js("engineLayers.selectTensor(25)")),
    "inside of a ForeignNode": (
        "box",
        lambda page: page.js("engineLayers.select(engineLayers.engine.nodes + 2)"),
    ),
    "profile": ("profiles", lambda page: page.choose("profile", "1")),
    "engine": ("two", lambda page: page.choose("engines", "1")),
}


@pytest.mark.parametrize("step", STEPS)
def test_links_and_the_history_restore_the_view(page: Any, pages: Pages, step: str) -> None:
    name, change = STEPS[step]
    page.open(pages(name))
    before, at_first = page.js(VIEW), page.js(HASH)
    _count(page)
    change(page)
    page.written()
    after, link = page.js(VIEW), page.js(HASH)
    assert before != after
    assert link != at_first
    assert page.js(ENTRIES) == {"sorting": 3}.get(step, 1)
    page.travel(-1)
    if page.js(ENTRIES) == 1:
        assert (page.js(VIEW), page.js(HASH)) == (before, at_first)
    page.travel(1)
    assert (page.js(VIEW), page.js(HASH)) == (after, link)
    page.open(pages(name), link)
    assert page.js(VIEW) == after
    assert page.js(HASH) == link
    assert page.js(NOTICE) == []


def test_links_are_short_and_can_be_read(small: Any, pages: Pages) -> None:
    assert small.js(HASH) == "#engine=0"
    small.js("engineLayers.search.set('type:conv -relu'); engineLayers.select(43)")
    small.written()
    assert small.js(HASH) == "#engine=0&q=type:conv+-relu&layer=43"
    small.open(pages("small"), "#layer=43&q=type:conv%20-relu")  # in any order
    assert small.js(HASH) == "#engine=0&q=type:conv+-relu&layer=43"


def test_panning_and_zooming_write_over_the_entry(small: Any, pages: Pages) -> None:
    small.js("engineLayers.select(20)")
    small.written()
    _count(small)
    small.js("engineLayers.cam.pan(300, 0)")
    small.js("engineLayers.cam.zoomAt(1.5, 400, 300)")
    small.written()
    link, where = small.js(HASH), small.js(WHERE)
    assert "&at=" in link
    assert small.js(ENTRIES) == 0
    small.open(pages("small"), link)
    assert small.js(WHERE) == pytest.approx(where, abs=1)
    small.press("0")
    small.written()
    small.js("engineLayers.select(null)")
    small.written()
    assert small.js(HASH) == "#engine=0"
    small.travel(-1)
    small.js("history.back()")


# What is drawn, and where the window shows it: the same after a link as where it was copied.
PLACED = """
const {cam, folded, selected, panes, hits} = engineLayers, {x, y, scale} = cam.view;
return {boxes: [...folded.x].flatMap((x, box) => [x, folded.y[box]]), scale,
  corner: [x * scale, y * scale], rest: [selected, panes.open, hits]}"""
SEEN = """const {cam: {view}, folded, selected} = engineLayers, box = folded.of[selected];
const x = folded.x[box] - view.x, y = folded.y[box] + folded.h[box] / 2 - view.y;
return selected === null ? null : x > 0 && y > 0 && x < view.width / view.scale
    && y < view.height / view.scale;"""
TABLE, TIME = (f"engineLayers.panes.show('{pane}')" for pane in ("table", "time"))
CLICK = "engineLayers.select(21, false)"
ZOOM = "engineLayers.cam.zoomAt(2.2, 500, 200)"
PLACES = {
    "a click, then a pane": (CLICK, TABLE),
    "zoomed, a click, then a pane": (ZOOM, "engineLayers.select(3, false)", TIME),
    "a pane, zoomed, then none": (TABLE, ZOOM, "engineLayers.panes.show(null)"),
    "a pane in place of another": ("engineLayers.select(9)", ZOOM, TABLE, TIME),
    "a search, its first hit, a pane": (
        "engineLayers.search.set('time>1%')",
        "const enter = new KeyboardEvent('keydown', {key: 'Enter'});"
        "document.getElementById('search').dispatchEvent(enter)",
        TABLE,
    ),
    "a finding and a pane": ("document.querySelector('#panel .findings button')?.click()", TIME),
    "lit, and a pane": ("engineLayers.select(20); engineLayers.lenses.cone('up', 3)", TABLE),
    "folded, then a pane": ("engineLayers.levels.toggle()", CLICK, TABLE),
    "a block folded with a pane": (
        TABLE,
        "engineLayers.engine.groups.length && engineLayers.levels.toggleGroup(0)",
        "engineLayers.panes.show(null)",
    ),
    "all, of what is selected": ("engineLayers.select(21)", "engineLayers.cam.all()"),
}


@pytest.mark.parametrize(
    ("name", "size", "places"),
    [
        ("short", (1440, 900), slice(0, None, 2)),
        ("thousand", (1440, 900), slice(0, None, 3)),
        ("encoder", (800, 700), slice(1, None, 3)),
        ("findings", (390, 844), slice(2, None, 3)),
    ],
)
def test_a_link_shows_the_same_part_at_the_same_scale(
    page: Any, pages: Pages, name: str, size: tuple[int, int], places: slice
) -> None:
    """In another window, too, the selected layer is seen, where it was."""
    for words, steps in [*PLACES.items()][places]:
        page.sized(*size).open(pages(name))
        for step in steps:
            page.act(step)
        page.written()
        by_hand, seen, link = page.js(PLACED), page.js(SEEN), page.js(HASH)
        page.open(pages(name), link)
        page.written()
        assert page.js(PLACED) == {
            **by_hand,
            "scale": pytest.approx(by_hand["scale"], rel=0.01),
            "corner": pytest.approx(by_hand["corner"], abs=3),
        }, f"{words}: {link}"
        assert page.js(HASH) == link, words
        page.sized(size[1], size[0]).open(pages(name), link)
        page.written()
        assert page.js(SEEN) in (None, True, seen), words


WRONG = """engine=7; engine=-1&layer=3; layer=54; layer=1e1; end=99; q=type:; q=/(/; blocks=99
blocks=0-999999999; color=plaid; pane=cellar; sort=size; finding=F99; lit=up,999; lit=sideways,3
tensor=zz; profile=3; at=1,2; at=999,0,0,1; zoom=3; q=%E0%A4%A""".replace("\n", "; ").split("; ")


def test_a_wrong_link_says_so(small: Any, pages: Pages) -> None:
    """While the page is open, and, with some of them, as it opens."""
    for at, part in enumerate(WRONG):
        small.act("location.hash = arguments[0]", f"#{part}")
        said = f"The link says “{part.split('&')[0]}”, which cannot be shown here."
        assert small.js(NOTICE) == [said]
        assert small.find("#notice").is_displayed()
        small.act("location.hash = arguments[0]", f"#engine=0&layer={at}")
        assert small.text("#panel .top p") == f"Layer {at}"
        assert not small.find("#notice").is_displayed()
    several = "#engine=9&color=plaid&pane=cellar&sort=size&layer=999&zoom=3"
    small.act("location.hash = arguments[0]", several)
    parts = ["engine=9", "zoom=3", "color=plaid", "pane=cellar", "sort=size", "layer=999"]
    assert [words.split("“")[1].split("”")[0] for words in small.js(NOTICE)] == parts
    # Of an engine that is not here.
    small.js("location.hash = '#engine=9&layer=3&q=conv&pane=table'")
    small.written()
    assert len(small.js(NOTICE)) == 1
    assert small.js(HASH) == "#engine=0"
    for part in WRONG[::6]:
        small.open(pages("small"), f"#{part}")
        assert f"“{part}”" in small.js(NOTICE)[0]
        small.find("#notice .close").click()
        assert not small.find("#notice").is_displayed()
        small.act("location.hash = '#engine=0&layer=3'")
        assert small.text("#panel .top p") == "Layer 3"


def test_hostile_links_stay_text(small: Any) -> None:
    texts = (*HOSTILE[:7], "a" * 100_000, "🙂" * 999, "%", "__proto__", "1~" + "0," * 9999)
    keys = ("engine", "layer", "q", "blocks", "notes", "pane", "sort", "x")
    for key, text in product(keys, texts):
        encoded = quote(text.encode("utf-8", "surrogatepass"))
        for fragment in (f"#{key}={encoded}", f"#{encoded}={key}"):
            small.driver.execute_async_script(
                """addEventListener("hashchange", () => arguments[1](), {once: true});
                location.hash = arguments[0]""",
                fragment,
            )
    assert small.js("return window.pwned") is None
    assert small.js("return document.querySelectorAll('#notice img, #notice script').length") == 0


def test_holding_a_key_fills_no_history(small: Any) -> None:
    _count(small)
    small.act("for (let n = 0; n < 400; n++) engineLayers.step(n % 100 < 50 ? 1 : -1)")
    assert 1 <= small.js(ENTRIES) <= 5
    assert small.js(HASH).startswith("#engine=0&layer=")


def test_what_is_typed_is_one_entry_when_it_is_finished(small: Any) -> None:
    _count(small)
    small.find("#search").send_keys("deconv")
    assert small.js(HASH) == "#engine=0"
    small.written()
    assert small.js(HASH) == "#engine=0&q=deconv"
    assert small.js(ENTRIES) == 1
    small.act("history.back()")
    assert small.js("return [engineLayers.search.query, engineLayers.hits]") == ["", None]
    assert small.js("return document.activeElement.id") == "search"  # it is not taken away


def test_without_a_history_the_address_is_still_written(small: Any) -> None:
    """As in a browser that keeps files from having one."""
    small.act("""history.pushState = history.replaceState = () => { throw new Error("no"); };
        engineLayers.select(12)""")
    assert small.js(HASH) == "#engine=0&layer=12"
    small.act("history.back()")
    assert small.js("return engineLayers.selected") is None
