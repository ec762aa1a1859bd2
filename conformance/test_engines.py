"""Every installed engine, asked; and every exemption, weighed."""


def test_nothing_is_unexplained(session, engine):
    """All answers agree, or differ as `known.toml` says."""
    tally = session.tally(engine)
    found = [sample for samples in tally.samples.values() for sample in samples]
    asked, agreed, deviating, unexplained = tally.total()
    assert unexplained == 0, f"{unexplained} of {asked} unexplained, such as:\n" + "\n".join(found[:20])
    assert asked == agreed + deviating and agreed > 0


def test_the_exemption_is_needed(session, exemption):
    """The engine still differs, for every operator and dtype that the exemption names."""
    session.tally(exemption.engine)
    idle = sorted(place for place in exemption.places if not exemption.explained[place])
    assert not idle, f"the engine agrees now, or was never asked: {idle}"


def test_the_exemption_is_no_wider_than_the_deviation(session, exemption):
    """Nowhere that the exemption holds does the engine agree, unless it says why it sometimes does."""
    session.tally(exemption.engine)
    agreeing = {place: count for place, count in exemption.agreeing.items() if count}
    if exemption.sometimes is None:
        assert not agreeing, "the engine agrees there, such as:\n" + "\n".join(exemption.samples)
    elif session.full:
        assert agreeing, "it never agrees there: leave `sometimes` out"
