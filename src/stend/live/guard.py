"""Access control of the server: a token, known host names, requests of the same site only, and only reading methods."""

import secrets
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "stend"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:"
    "; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """An ASGI application that refuses requests without a token, for another host name, or from another page."""

    def __init__(self, app: ASGIApp, token: str, hosts: Sequence[str]) -> None:
        self.app, self.token, self.hosts = app, token, set(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refused = self._refused(scope)
        answer: ASGIApp = refused or self._set_cookie(scope) or self.app
        await answer(scope, receive, _guarded(send))

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if _host(headers.get("host", "")) not in self.hosts:
            return PlainTextResponse("unknown host name; `stend serve --host-name HOST` adds one", 421)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("this server is read-only", 405, {"allow": "GET, HEAD"})
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers["host"]:
            return PlainTextResponse("requests from other sites are refused", 403)
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and scope["path"] != "/":
            return PlainTextResponse("requests from other sites are refused", 403)
        if not any(secrets.compare_digest(token.encode(), self.token.encode()) for token in self._tokens(scope)):
            missing = "missing or wrong token; open the address that `stend serve` printed"
            return PlainTextResponse(missing, 401, {"www-authenticate": "Bearer"})
        return None

    def _tokens(self, scope: Scope) -> list[str]:
        """Return the tokens of a request: from the address, the cookie and the `Authorization` header."""
        headers = Headers(scope=scope)
        tokens = [value for name, value in _query(scope) if name == "token"]
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        kind, _, word = headers.get("authorization", "").partition(" ")
        return [*tokens, *([cookie.value] if cookie else []), *([word.strip()] if kind.lower() == "bearer" else [])]

    def _set_cookie(self, scope: Scope) -> Response | None:
        """Move the token from the address into a cookie, which keeps it out of histories and screenshots."""
        query = _query(scope)
        if all(name != "token" for name, _ in query):
            return None
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        path = "/" + scope["path"].lstrip("/")  # a path with two leading slashes would lead to another host
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", secure=scope["scheme"] == "https")
        return answer


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _host(header: str) -> str:
    """Return the host name without its port: `[::1]:8080` -> `::1`."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _guarded(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("content-security-policy", POLICY)
        await send(message)

    return sending
