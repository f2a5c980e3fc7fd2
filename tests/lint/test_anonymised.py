"""Under other names a log has the same findings: the messages that rules read stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from anonymised import text_of

from lint.cases import Case, cases

# Rules that read messages or sections of a log; the others read listings and timings, which stay.
_CODES = ("P02", "P08", "P09", "P10", "P11", "P12", "R01", "R02", "R03", "R05", "R06", "R07", "R10")
CASES = [case._replace(profile="") for case in cases() if case.code in _CODES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.why}")
def test_an_anonymised_log_has_the_same_findings(case: Case, tmp_path: Path) -> None:
    (log,) = text_of(case.log)
    before, after = case.found(tmp_path), case._replace(log=log).found(tmp_path)
    assert [one.layers for one in after] == [one.layers for one in before], log
