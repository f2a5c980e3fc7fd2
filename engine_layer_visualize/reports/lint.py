"""What is said of findings, and their formats: pages, JSON, SARIF, annotations, a short JSON."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.analysis import times
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine, JsonValue
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import ELLIPSIS, count, milliseconds, plural
from engine_layer_visualize.core.words import FEW, Name, Words, first_of, parts, shown
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents import markup, terminal
from engine_layer_visualize.documents.blocks import Advice, Block, Heading, Paragraph
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.facts.json import HEAD, dump, finding_json, problem_json, rows
from engine_layer_visualize.facts.sentences import is_partly_timed, stakes
from engine_layer_visualize.linting import findings_of, lever
from engine_layer_visualize.linting.rules import Entry, Finding, all_rules, saved, url
from engine_layer_visualize.linting.selection import Selected, lasting_names
from engine_layer_visualize.linting.subject import Subject

_LONGEST_NAME: Final = 160  # characters
_LONGEST_IN_TABLE: Final = 26  # characters of a layer in a table of findings
_LONGEST_SENTENCE: Final = 4_000  # characters


def blocks(selected: Selected, full: bool) -> Iterator[Block]:
    """Yields the page of an engine; a full one has every finding with its layers and lines."""
    engine = selected.costs.engine
    yield Heading(f"Engine {engine.index} of {engine.source.file}", level=1)
    yield from map(Paragraph, selected.header[:1])
    if selected.lever:
        yield Advice(selected.lever)
    yield from (Paragraph(text) for text in selected.header[1:] if text != selected.lever)
    if selected.costs.kind != "measured":
        measure = lever.to_measure(Subject(selected.costs))
        if measure != selected.lever:
            yield Advice(measure)
    if full:
        for finding in selected.findings:
            yield from _finding(finding, selected.costs)
    else:
        yield from _first_screen(selected)
    others = {"fine": selected.in_order, "costly, without a finding": selected.costly}
    for title, texts in others.items():
        if texts and full:
            yield Heading(title)
            yield from map(Paragraph, texts)
        elif texts:
            yield Paragraph(f"{title}: {'; '.join(texts)}")
    yield Heading(_totals(selected))


def _first_screen(selected: Selected) -> Iterator[Block]:
    shown = [finding for finding in selected.findings if finding.shown]
    if not selected.findings:
        return
    why = ""
    if shown:
        yield findings_table(shown, selected.costs, selected.lever).filled()
        why = f" · why: `elv explain {shown[0].code}`"
    left = left_out(len(selected.findings), len(shown)) or "lines of the log"
    yield Paragraph(f"{left}: add `--full`{why}")


def _finding(finding: Finding, costs: Costs) -> Iterator[Block]:
    rule, gain = finding.rule, _stake(finding, costs)
    yield Heading(f"{finding.rank}. {rule.code} {rule.name}, {rule.severity}{gain and ': ' + gain}")
    yield Paragraph(_layers(finding, costs.engine, None))
    yield Paragraph(("why: ", *parts(finding.said)))
    yield Paragraph(f"try: {finding.advice}")
    for fact in finding.evidence:
        place = costs.engine.source.file + ("" if fact.line is None else f":{fact.line}")
        yield Paragraph((Name(place), ": ", Name(fact.text)))


def in_few_lines(finding: Finding, costs: Costs) -> str:
    """Returns a finding as one text of a few lines, for readers that show no page."""
    told = (
        _stake(finding, costs),
        _layers(finding, costs.engine),
        finding.said,
        f"try: {finding.advice}",
    )
    return "\n".join(shown(words, _LONGEST_NAME, _LONGEST_SENTENCE) for words in told if words)


def _stake(finding: Finding, costs: Costs) -> str:
    """Returns `touches 20.0 µs, 0.8 % (measured); could save 12.0 µs`; empty where unknown."""
    told = [*stakes(finding, costs)]
    if finding.touches_ms is not None:  # what could be saved is not measured
        told[0] += f" ({times.how(costs)})"
    return "; ".join(told)


def _layers(finding: Finding, engine: Engine, most: int | None = FEW) -> Words:
    """Returns the layers in words: `layers 3 `conv1`, 7 `conv2`, 9 `conv3` and 17 more`."""
    indices = finding.layers or finding.about
    named = [(f"{i} `", Name(engine.layers[i].name), "`") for i in indices]
    return ("layer " if len(indices) == 1 else "layers ", *first_of(named, most))


def line_of(finding: Finding, engine: Engine) -> int:
    """Returns the line of the log that a finding is about."""
    lines = [fact.line for fact in finding.evidence]
    lines += (engine.layers[index].place.line for index in finding.layers or finding.about)
    return next(filter(None, lines), engine.source.first_line)


def _totals(selected: Selected) -> str:
    """Returns `12 findings, 3 of them warnings; could save 0.41 ms of 2.60 ms`.

    The sum is of all findings, also of those that a first screen leaves out.
    """
    every = len(selected.findings)
    none = "no findings, only the advice above" if selected.lever else "no findings"
    text = count(every, "finding") if every else none
    if number := sum(finding.rule.severity == "warning" for finding in selected.findings):
        which = "" if every == 1 else f"{number:,} of them "
        text += f", {which}{plural(number, 'a warning', 'warnings')}"
    ms, whole = saved(selected.findings), times.inference(selected.costs)
    if ms is not None and whole is not None:
        text += f"; could save {milliseconds(ms)} of {milliseconds(whole)}"
    return text


# ---- the summary's section: what makes the engine slow, what counts most first -------------------


def findings_data(subject: Subject, top: int) -> JsonValue:
    """All findings in their order, each with the share of the time that it touches at least."""
    costs = subject.costs
    return [
        {
            **finding_json(finding),
            "share": times.share_touched(finding.layers, costs),
            "share_of": times.share_words(costs),
            "partly_timed": is_partly_timed(finding, costs),
        }
        for finding in findings_of(subject)
    ]


def findings_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The findings of the first screen as blocks of a page, at most `top` of them."""
    every = findings_of(subject)
    yield Heading("Findings")
    if said := lever.of(subject):
        yield Advice(said)
    elif not every:
        yield Paragraph("No findings.")
    if not every:
        return
    if shown := [finding for finding in every if finding.shown][:top]:
        yield findings_table(shown, subject.costs, said).filled()
    left = left_out(len(every), len(shown)) or "all, with lines of the log"
    yield Paragraph(f"{left}: `elv lint --full` with the same files and flags")


def left_out(every: int, shown: int) -> str:
    """How many findings are not on the first screen; empty where all are."""
    if not shown:
        return f"{count(every, 'finding')} of little or unknown time"
    return f"… {count(every - shown, 'more finding')}" if every > shown else ""


def findings_table(findings: Iterable[Finding], costs: Costs, said: str | None) -> page.Grid:
    """A table with a row for each finding; `said`: the advice that stands above it."""
    scaled = " of an inference" if times.is_scaled(costs) else ""
    return page.grid(
        findings,
        (">", lambda finding: str(finding.rank)),
        (f">touches{scaled}", lambda finding: _touches(finding, costs)),
        (
            f">share {times.share_words(costs)}".rstrip(),
            lambda finding: page.part(times.share_touched(finding.layers or finding.about, costs)),
        ),
        (">could save", lambda finding: page.ms(finding.ms)),
        ("rule", lambda finding: finding.code),
        ("layers", lambda finding: _slowest_of(finding, costs)),
        ("what to do", lambda finding: _to_do(finding, lever.is_of(said, finding, costs))),
    )


def _to_do(finding: Finding, is_said: bool) -> str:
    first, *others = finding.advice.split("; ")
    steps = "; ".join(("as above" if is_said else first, *others))
    return "; also ".join((steps, *finding.also))


def _touches(finding: Finding, costs: Costs) -> str:
    """The time of its layers, also of those whose time other findings count."""
    least = "≥ " if finding.touches_ms and is_partly_timed(finding, costs) else ""
    if finding.layers or not finding.about:
        return least + page.ms(finding.touches_ms)
    return least + page.ms(costs.sum(costs.engine.layers[index] for index in finding.about))


def _slowest_of(finding: Finding, costs: Costs) -> Words:
    """The layer of a finding that takes the most time: `3 conv1 and 17 more`."""
    layers = [costs.engine.layers[index] for index in finding.layers or finding.about]
    more = f" and {len(layers) - 1:,} more" if len(layers) > 1 else ""
    slowest = max(layers, key=lambda layer: costs.of(layer) or 0.0)
    name = slowest.name
    if len(name) > _LONGEST_IN_TABLE:
        name = f"{name[: _LONGEST_IN_TABLE - 1].rstrip()}{ELLIPSIS}"
    return (f"{slowest.index} ", Name(name), more)


# ---- the formats ---------------------------------------------------------------------------------


def as_text(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page for a terminal for each engine; problems stand on stderr."""
    for each in results:
        if isinstance(each, Selected):
            page = blocks(each, options.full)
            yield terminal.set_page(page, options.width, options.color, options.full)


def as_markdown(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a page of GitHub's Markdown for each engine; problems stand on stderr."""
    for each in results:
        if isinstance(each, Selected):
            yield markup.set_page(blocks(each, options.full), options.full)


def as_brief(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields the document at the end: the engines that take the most time are in it."""
    from engine_layer_visualize.reports import brief

    yield brief.of_engines(results)


def as_github(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields a line for each finding, the worst first; problems stand on stderr."""
    for result in results:
        if isinstance(result, Selected):
            yield "".join(f"{_annotation(finding, result.costs)}\n" for finding in result.findings)


def _annotation(finding: Finding, costs: Costs) -> str:
    severity = finding.rule.severity
    return markup.annotation(
        "notice" if severity == "hint" else severity,
        in_few_lines(finding, costs),
        file=costs.engine.source.file,
        line=str(line_of(finding, costs.engine)),
        title=f"{finding.rule.code} {finding.rule.name}",
    )


def as_json(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields `{"schema": 1, "engines": [...], "problems": [...]}` in pieces."""
    before, problems = '{"schema": 1, "engines": [', list[Problem]()
    for result in results:
        if isinstance(result, Problem):
            problems.append(result)
            continue
        first = Subject(result.costs.of_profile(result.costs.profiles[0]))  # as in every JSON
        yield f'{before}\n{{"engine": {dump(HEAD.of(first, first.engine))},\n"findings": '
        yield "".join(rows(map(finding_json, result.findings)))
        in_order = dump([*result.in_order, *result.costly])
        yield f',\n"largest_lever": {dump(result.lever)}'
        yield f',\n"header": {dump(list(result.header))},\n"in_order": {in_order}}}'
        before = ","
    yield f'{before if before != "," else ""}],\n"problems": '
    yield "".join(rows(map(problem_json, problems))) + "}"


def as_sarif(results: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
    """Yields one run with the findings of all engines; problems stand on stderr."""
    found, is_read = list[JsonValue](), True
    for each in results:
        if isinstance(each, Selected):
            found += [_result(finding, each.costs) for finding in each.findings]
        elif each.severity == "error":
            is_read = False
    rules = list(map(_rule, all_rules().values()))
    invocations: JsonValue = [{"executionSuccessful": is_read}]
    yield dump(markup.sarif(options.version, rules, found, invocations=invocations))


def _rule(entry: Entry) -> JsonValue:
    rule, text = entry.rule, entry.page
    page = url(rule.code)  # a whole link as a release makes it; SARIF allows no relative ones
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        **({"helpUri": page} if "://" in page else {}),
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _sarif_level(rule.severity)},
        "properties": {"tags": ["performance"], "source": list(rule.sources)},
    }


def _sarif_level(severity: str) -> str:
    return "note" if severity == "hint" else severity


def _result(finding: Finding, costs: Costs) -> JsonValue:
    engine = costs.engine
    lines = [line_of(finding, engine), *(fact.line for fact in finding.evidence if fact.line)]
    places = [Place(engine.source.file, number) for number in dict.fromkeys(lines)]
    return {
        "ruleId": finding.code,
        "ruleIndex": list(all_rules()).index(finding.code),
        "level": _sarif_level(finding.rule.severity),
        "message": {"text": markup.unlinked(in_few_lines(finding, costs))},
        "locations": [markup.sarif_location(place) for place in places[:1]],
        "relatedLocations": [markup.sarif_location(place) for place in places[1:]],
        "partialFingerprints": {"layers/v1": _fingerprint(finding, costs)},
        "properties": {
            "engine": engine.index,
            **picked(finding, "layers", "cause", "rank", "touches_ms", "saves_ms", "ms", "ms_kind"),
            "advice": finding.advice,
        },
    }


def _fingerprint(finding: Finding, costs: Costs) -> str:
    """Returns what stays the same for a finding in another build."""
    from hashlib import sha256  # slow to import

    names = lasting_names(finding, costs.engine)
    text = "\n".join([str(costs.engine.index), finding.code, *(names or [""])])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
