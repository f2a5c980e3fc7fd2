"""Beside each pattern that reads a log line stands such a line: `# e.g. (versions) line`."""

from __future__ import annotations

from importlib import import_module

from sample_lines import PATTERNS


def test_a_pattern_matches_its_sample_lines() -> None:
    for module, name, samples in PATTERNS:
        pattern = getattr(import_module(module), name)
        assert samples, (module, name)
        for sample in samples:
            line = sample if isinstance(pattern.pattern, str) else sample.encode()
            assert pattern.search(line) is not None, (module, name, sample)
