"""What LiteRT does with nodes of one operator, on CPUs and on its GPU delegate, beside what Broadaxe says of the same files."""
