"""Mean response times of queues by closed formulas; tests compare the ideal drive to them.

Arrivals are a Poisson process of `rate` per second, a service takes `service_s` on average, and the queue is endless.
"""


def deterministic(rate: float, service_s: float) -> float:
    """Return the mean response time in seconds of M/D/1: one server, fixed service times (Pollaczek-Khinchine)."""
    load = rate * service_s
    return service_s + load * service_s / (2 * (1 - load))


def exponential(rate: float, service_s: float, servers: int) -> float:
    """Return the mean response time in seconds of M/M/c: `servers` with exponential service times (Erlang C)."""
    offered = rate * service_s
    blocked = 1.0
    for count in range(1, servers + 1):  # Erlang B, by its recursion
        blocked = offered * blocked / (count + offered * blocked)
    load = offered / servers
    waits = blocked / (1 - load * (1 - blocked))
    return service_s + waits * service_s / (servers * (1 - load))
