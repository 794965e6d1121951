"""Who may come in: keys, hosts, origins, sizes, rates and load, checked before a request reaches any served face. Plain ASGI."""

from hindsight_graph.api.access.bind import check_bind, is_loopback
from hindsight_graph.api.access.policy import AccessPolicy
from hindsight_graph.api.access.protect import PRINCIPAL, protect

__all__ = ["PRINCIPAL", "AccessPolicy", "check_bind", "is_loopback", "protect"]
