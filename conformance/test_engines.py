"""Every installed engine, asked; and every exemption, weighed.

Engines choose kernels by the processor, and their last bits with them. On another than `known.toml` was measured on, rules are
still held to; of values it is only said how many differ.
"""

import pytest


def test_nothing_is_unexplained(session, engine):
    """All answers agree, or differ as `known.toml` says."""
    tally = session.tally(engine)
    found = [sample for samples in tally.samples.values() for sample in samples]
    asked, agreed, deviating, unexplained = tally.total()
    assert agreed > 0 and asked == agreed + deviating + unexplained
    assert tally.unexplained_shapes == 0, "about rules:\n" + "\n".join(found[:20])
    if unexplained and session.known.apart:
        pytest.skip(f"{unexplained} of {asked} values differ, {' and '.join(session.known.apart)}; what is known was measured on another")
    assert unexplained == 0, f"{unexplained} of {asked} unexplained, such as:\n" + "\n".join(found[:20])


def skip_elsewhere(session, exemption):
    """Skip an exemption about values on a processor that it was not measured on."""
    if exemption.kind == "value" and session.known.apart:
        pytest.skip(f"not measured {' and '.join(session.known.apart)}")


def test_the_exemption_is_needed(session, exemption):
    """The engine still differs, for every operator and dtype that the exemption names."""
    skip_elsewhere(session, exemption)
    session.tally(exemption.engine)
    idle = sorted(place for place in exemption.places if not exemption.explained[place])
    assert not idle, f"the engine agrees now, or was never asked: {idle}"


def test_the_exemption_is_no_wider_than_the_deviation(session, exemption):
    """Nowhere that the exemption holds does the engine agree, unless it says why it sometimes does."""
    skip_elsewhere(session, exemption)
    session.tally(exemption.engine)
    agreeing = {place: count for place, count in exemption.agreeing.items() if count}
    if exemption.sometimes is None:
        assert not agreeing, "the engine agrees there, such as:\n" + "\n".join(exemption.samples)
    elif session.full:
        assert agreeing, "it never agrees there: leave `sometimes` out"
