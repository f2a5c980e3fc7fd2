"""What hosts write before a message is known, whatever the host and the severity."""

from __future__ import annotations

import re

import pytest

from engine_layer_visualize.reading.hosts import HOSTS, OWN, Host

OTHERS = [host for host in HOSTS if host.mark]


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_a_host_s_words_begin_a_message(host: Host) -> None:
    assert OWN.search(host.example + b"Registering layer: a") is not None


@pytest.mark.parametrize("host", OTHERS, ids=lambda host: host.name)
def test_a_host_s_pattern_matches_its_example(host: Host) -> None:
    assert host.mark in host.example
    assert re.fullmatch(host.words, host.example) is not None
