"""Searching the page: the grammar of queries, hits as a lens, and the help beside the field."""

from typing import Any

from browser.conftest import Pages

HITS = "return engineLayers.hits"


def test_inputs_and_outputs_that_are_found_are_counted_apart(small: Any) -> None:
    """`tests/viewer` compares what the page finds with what Python finds."""
    counts = {"type:conv -relu": "9 found", "hm": "3 found, and 1 input or output"}
    for query, said in {**counts, "FP32": "7 found, and 4 inputs and outputs"}.items():
        small.js("engineLayers.search.set('')")
        small.find("#search").send_keys(query)
        assert small.text("#hit-count") == said
    beside = """const [field, count] = ["search", "hit-count"].map((id) =>
        document.getElementById(id).getBoundingClientRect()); return field.right <= count.left"""
    assert small.js(beside), "the count lies over no letter"


def test_hits_are_a_lens_in_drawing_and_table(small: Any) -> None:
    small.press("t")
    small.press("/#43")
    assert small.js("return [...engineLayers.scene.hits]") == small.js(
        "return [engineLayers.folded.of[43]]"
    )
    rows = small.all(".grid .line")
    assert [row.get_attribute("data-layer") for row in rows] == ["43"]
    small.press("\ue00c")  # Escape, to the drawing; what was searched for stays
    assert small.js(HITS) == [43]
    assert small.js("return document.querySelector('#search').value") == "#43"
    small.press("/\ue017")  # selects it, Delete
    assert small.js(HITS) is None
    assert len(small.all(".grid .line")) > 9


def test_a_wrong_query_says_what_is_wrong(small: Any) -> None:
    for query, said in (
        ("conv tpye:x", "Character 6: no field 'tpye'; did you mean type?"),
        ("time>1", "Character 6: no number for time. Expected: a number and one of ns, us, ms"),
        ("/(/", "Character 1: not a regular expression"),
        ('"open', "Character 1: a quote without an end"),
    ):
        small.js("engineLayers.search.set('')")
        small.find("#search").send_keys(query)
        assert small.find('#search-note[role="alert"]').is_displayed()
        assert small.text("#search-note").startswith(said)
        assert small.find("#search").get_attribute("aria-invalid") == "true"
        assert small.js(HITS) is None
        assert small.text("#hit-count") == ""
        small.js("engineLayers.search.set('conv')")
        assert small.text("#search-note") == ""
        assert small.find("#search").get_attribute("aria-invalid") == "false"


def test_what_finds_nothing_or_much_offers_what_may_be_meant(small: Any) -> None:
    small.press("/conv.*relu")
    assert small.text("#hit-count") == "nothing found"
    small.press("\ue00c")
    slow = "time>1%: 41 layers"
    for query, offered in (("reformats", "reformat: 4 layers"), (">1%", slow), ("slowest", slow)):
        small.press(f"/{query}")
        assert small.text("#hit-count") == "nothing found"
        assert offered in [one.text for one in small.all("#found .sum button")]
        small.press("\ue00c")
    small.press("/921")
    assert small.text("#hit-count") == "nothing found"
    small.find("#found .sum button").click()
    assert small.text("#found .sum").startswith("2 layers")
    assert small.js("return document.getElementById('search').value") == "tensor:921"
    assert small.js("return engineLayers.hits") == [42, 43]
    small.press("\ue00c")
    small.press("/deconv")
    offered = small.find("#found .sum button")
    every = small.js("return engineLayers.hits.length")
    assert offered.text.startswith("type:deconv: 3 layers")
    offered.click()
    some = small.js("return engineLayers.hits")
    types = small.js("return arguments[0].map((n) => engineLayers.engine.words('type', n))", some)
    assert len(some) < every and types == ["CaskDeconvolution"] * 3
    assert small.js("return document.activeElement.id") == "search"
    assert not small.all("#found .sum button")


def test_a_chosen_hit_is_not_behind_the_list(thousand: Any) -> None:
    thousand.find("#search").send_keys("type:conv")
    for keys in ("\ue007", "\ue015", "\ue015\ue015\ue015"):  # Enter, down
        thousand.tap(keys)
        top, foot, list_foot, end = thousand.js("""
            const {cam, folded, selected, canvas} = engineLayers, box = folded.of[selected];
            const stage = canvas.getBoundingClientRect(), {view} = cam;
            const at = (y) => stage.top + (y - view.y) * view.scale;
            return [at(folded.y[box]), at(folded.y[box] + folded.h[box]),
                    engineLayers.search.foot, stage.bottom]""")
        assert thousand.find("#found").is_displayed() is (keys != "\ue007")  # the panel is read
        assert list_foot < top < foot < end


def test_enter_right_after_the_last_letter_goes_to_what_it_finds(largest: Any) -> None:
    """Of a large engine the search waits for the next letter."""
    largest.js("engineLayers.search.set('#7'); engineLayers.search.focus()")
    largest.press("#19000\ue007")
    assert largest.js("return engineLayers.selected") == 19_000


def test_the_search_goes_on_in_the_next_engine(page: Any, pages: Pages) -> None:
    page.open(pages("two"))
    page.find("#search").send_keys("type:conv")
    first = page.js(HITS)
    options = page.all("#engines option")
    assert [one.text.partition(":")[0] for one in options] == ["Engine 0", "Engine 1"]
    options[1].click()
    assert page.text("#title b").startswith("Engine 1")
    assert page.js("return document.getElementById('search').value") == "type:conv"
    hits = page.js(HITS)
    types = page.js("const {engine: e} = engineLayers; return e.layers.type.map((t) => e.text(t))")
    assert hits == [n for n, kind in enumerate(types) if "conv" in kind.lower()]
    assert (first, hits) != (hits, None)


def test_a_finding_and_a_search_end_each_other(findings: Any) -> None:
    findings.press("t")
    findings.all("#panel .findings button")[0].click()
    marked = findings.js(HITS)
    assert [int(row.get_attribute("data-layer")) for row in findings.all(".grid .line")] == marked
    findings.find("#search").send_keys("half")
    assert findings.js("return engineLayers.finding") is None
    findings.press("\ue00c")  # the list is over the panel
    findings.all("#panel .findings button")[0].click()
    assert findings.js("return document.getElementById('search').value") == ""
    assert findings.js(HITS) == marked


def test_the_help_lists_the_fields_and_searches_for_examples(small: Any) -> None:
    small.find("#show-help").click()
    dialog = small.find("#help[role=dialog]")
    assert dialog.is_displayed()
    fields = small.js("return Object.values(engineLayers.look.search.fields).map((f) => f.example)")
    shown = small.js("return [...document.querySelectorAll('#help dt')].map((e) => e.textContent)")
    assert set(fields) < set(shown)
    small.press("\ue00c")
    assert not dialog.is_displayed()
    assert small.js("return document.activeElement.id") == "show-help"
    small.js("document.getElementById('drawing').focus()")
    small.press("?")
    assert dialog.is_displayed()
    small.js("[...document.querySelectorAll('#help dt button')]"
            ".find((e) => e.textContent === 'prec:fp32').click()")  # fmt: skip
    assert not dialog.is_displayed()
    assert small.js("return document.getElementById('search').value") == "prec:fp32"
    assert small.js(HITS)


def test_a_block_is_found_by_its_number_and_above_layers_of_its_name(encoder: Any) -> None:
    for query in ("block:3", "Block 3", "encoder block 3", "layer 3"):
        encoder.press(f"/{query}")
        assert [one.text for one in encoder.all("#hits li b")] == ["/encoder/layer.3"], query
        assert encoder.text("#hit-count") == "1 block"
        assert encoder.text("#found .sum button") == "#3: 1 layer"
        encoder.press("\ue00c")  # Escape, and `/` searches again
    encoder.press("/encoder/layer.3")
    layers = encoder.js(HITS)
    inside = encoder.js(
        "return engineLayers.engine.groups.find((g) => g.path.endsWith('3')).members"
    )
    assert set(inside) <= set(layers)
    assert encoder.text("#hit-count") == f"{len(layers)} found"
    button = encoder.find("#found .sum button")
    assert button.text.startswith(f"block /encoder/layer.3: {len(inside)} layers")
    button.click()
    assert encoder.js("return engineLayers.lens.nodes") == inside
