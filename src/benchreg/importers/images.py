"""The name of a container image, without the host of a registry that is nobody else's business."""

import re

_IMAGE = re.compile(r"[A-Za-z0-9][\w./:@+#-]{0,199}", re.ASCII)
_HOST = re.compile(r"localhost|[^.:]*[.:].*")
PUBLIC = frozenset((
    "docker.io", "registry-1.docker.io", "ghcr.io", "quay.io", "gcr.io", "nvcr.io",
    "public.ecr.aws", "mcr.microsoft.com", "registry.hub.docker.com",
))  # fmt: skip


def image(name: str | None) -> str | None:
    """Return the name of an image; None for what is none.

    A first part with a dot or a port is the host of a registry. Those that everybody can reach
    stay, others are left out.
    """
    if name is None or not _IMAGE.fullmatch(name):
        return None
    host, *path = re.split("[/#]", name, maxsplit=1)
    private = path and _HOST.fullmatch(host) and host not in PUBLIC
    return (path[0] or None) if private else name
