"""Judges whether an engine has become slower, larger or worse.

    runs         the iterations of a run -> a `GateRun`, the unit of evidence
    bootstrap    runs' iterations -> how far their medians may be off
    student      Student's t: quantiles and tails
    slowdown     runs on two sides -> slowdown, its interval, its p-value
    layers       groups of layers -> which became slower, by Holm's correction
    coverage     how much was timed on two sides -> why they cannot be compared
    conditions   device, version, clocks, batch -> in what two measurements differ
    limits       what is allowed, and the words of a flag for it
    verdict      all of these -> a `Judgement`
    described    an engine, as a snapshot keeps it, and the engine that a snapshot holds
    evidence     two snapshots -> what `verdict` judges

A slowdown is a fraction of the baseline's time: 0.05 is 5 % more time, -0.05 is 5 % less.
"""
