"""Under other names a log has the same findings: the messages that rules read stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from anonymised import text_of

from lint.cases import Case, cases


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: f"{case.code} {case.why}")
def test_an_anonymised_log_has_the_same_findings(case: Case, tmp_path: Path) -> None:
    log, times = text_of(case.log, case.profile)
    before, after = case.found(tmp_path), case._replace(log=log, profile=times).found(tmp_path)
    assert [one.layers for one in after] == [one.layers for one in before], log
