"""The power of a machine by the Redfish service of its management controller.

The address is that of a resource of Redfish: `Power` (PowerControl), `EnvironmentMetrics`, or a sensor in watts. The
user's name and password come from ~/.netrc, because addresses are recorded and a command line is visible to others.
"""

import base64
import contextlib
import http.client
import json
import netrc
import os
import ssl
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from stend.base import untrusted
from stend.base.errors import BadInput, StepFailed
from stend.base.home import home
from stend.devices import Device
from stend.meters._polled import Polled, period
from stend.meters._types import Meter, Spec

ADDRESS = "https://HOST/redfish/v1/Chassis/1/Power"
PERIOD_S, PATIENCE_S = 1.0, 10.0
MOST_BYTES = 1 << 20
LOCAL = ("localhost", "127.0.0.1", "::1")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirects, because the password would be sent there."""

    def redirect_request(self, *_: Any) -> None:
        """Return no further request."""


def watts(resource: Any) -> float:
    """Return the power in a resource of Redfish in watts. Raise StepFailed if it has none."""
    if isinstance(resource, dict):
        controls = resource.get("PowerControl")
        first = controls[0] if isinstance(controls, list) and controls else {}
        environment = resource.get("PowerWatts")
        for value in (
            first.get("PowerConsumedWatts") if isinstance(first, dict) else None,
            environment.get("Reading") if isinstance(environment, dict) else None,
            resource.get("Reading") if resource.get("ReadingUnits") == "W" else None,
            resource.get("PowerConsumedWatts"),
        ):
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
    raise StepFailed("the resource has none of PowerControl, PowerWatts and a Reading in W")


def opened(spec: Spec, device: Device | None) -> Meter:
    """Return the meter. Raise BadInput if the address is not one of Redfish with power, or has a password in it."""
    if spec.scope == "drive":
        raise BadInput(f"{spec.text}: Redfish measures the whole machine, never a drive alone")
    request = _request(spec.address)
    opener = urllib.request.build_opener(
        NoRedirect, urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=ssl.create_default_context())
    )
    poll = partial(_read, opener, request)
    period_s = period(spec.kind, poll, PERIOD_S)
    return Polled(spec.facts(f"Redfish {urlsplit(spec.address).hostname}", period_s=period_s, scope="machine"), poll)


def _request(address: str) -> urllib.request.Request:
    try:
        parts = urlsplit(address)
        host, secret = parts.hostname or "", "@" in parts.netloc or parts.query or parts.fragment
    except ValueError:
        host, secret = "", ""
    if secret:
        raise BadInput(
            "the address of the meter redfish has a user name, a password or a query in it, and addresses are "
            "recorded; put `machine HOST login USER password PASSWORD` into ~/.netrc"
        )
    if not host or parts.scheme not in ("http", "https"):
        raise BadInput(f"{address} is not an address such as {ADDRESS}")
    request = urllib.request.Request(address, headers={"Accept": "application/json"})  # noqa: S310 see above
    if login := _login(host):
        if parts.scheme == "http" and host not in LOCAL:
            raise BadInput(f"{address} is not encrypted, and ~/.netrc has a password for {host}; use https")
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(login.encode()).decode()}")
    return request


def _login(host: str) -> str:
    """Return `USER:PASSWORD` of a host in the file NETRC or ~/.netrc, or an empty string if it has none."""
    path = Path(os.environ.get("NETRC") or home() / ".netrc")
    if not path.exists():
        return ""
    try:
        found = netrc.netrc(path).hosts.get(host)
    except (OSError, netrc.NetrcParseError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not in the format of netrc(5)"
        raise BadInput(f"{path} cannot be read: {why}") from error
    return f"{found[0]}:{found[2]}" if found else ""


def _read(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> float:
    """Read the resource once. Raise StepFailed, whose words hold no password."""
    name = request.full_url
    try:
        with contextlib.closing(opener.open(request, timeout=PATIENCE_S)) as answer:
            return watts(json.loads(answer.read(MOST_BYTES)))
    except HTTPError as error:
        error.close()
        raise StepFailed(f"{name} answered {error.code} {error.reason}") from error
    except URLError as error:
        raise StepFailed(f"{name} does not answer: {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise StepFailed(f"{name} does not answer: {type(error).__name__}") from error
    except untrusted.BROKEN as error:
        raise StepFailed(f"{name} did not answer with JSON that can be used") from error
