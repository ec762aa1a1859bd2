"""Draws shapes that broadcast by NumPy's rule, for models of one node."""

import math


def shapes(rng, count, dims, most_elements, most_rank=5):
    """Draw shapes with few different dims, so that many dims are equal; their result has at most `most_elements` elements."""
    while True:
        rank = min(rng.choice((1, 2, 2, 3, 3, 4, 4, 4, 5)), most_rank)
        pool = rng.sample(dims, rng.choice((1, 2, 2, 3)))
        full = [rng.choice(pool) for _ in range(rank)]
        if math.prod(full) <= most_elements:
            break
    drawn = []
    for at in range(count):
        own = full[rank - (rank if at == 0 else rng.randrange(rank + 1)) :]
        ones = rng.choice((0, 0.15, 0.4))
        drawn.append([1 if rng.random() < ones else dim for dim in own])
    rng.shuffle(drawn)
    return drawn
