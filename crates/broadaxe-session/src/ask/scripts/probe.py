"""Says which of the wanted packages this Python has, and in which version."""

import json
from importlib import metadata


def version(name):
    try:
        return metadata.version(name)
    except Exception:
        return None


wanted = json.loads(sys.argv[2])  # noqa: F821 - the bootstrap has imported it
print(json.dumps({name: found for name in wanted if (found := version(name))}), flush=True)
