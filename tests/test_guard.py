"""What the server lets in: each request by its host name, method, origin and token, without a socket."""

import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from stend.live.guard import COOKIE, HEADERS, POLICY, Guard

TOKEN, NAME = "7c1e", "lab.example"
HOST = {"host": f"{NAME}:8421"}
KNOWN = HOST | {"cookie": f"a=b; {COOKIE}={TOKEN}"}


async def _page(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("page", headers={"content-security-policy": "own"} if scope["path"] == "/own" else None)(
        scope, receive, send
    )


def answered(path: str, headers: dict[str, str], method: str = "GET", scheme: str = "http") -> tuple[int, Any, bytes]:
    """The status, the headers and the body of the answer to a request."""
    way, _, query = path.partition("?")
    scope = {"type": "http", "method": method, "path": way, "query_string": query.encode(), "scheme": scheme}
    scope["headers"] = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Guard(_page, TOKEN, [NAME, "::1"])(scope, receive, send))
    heads = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], heads, b"".join(message.get("body", b"") for message in sent)


@pytest.mark.parametrize(
    ("path", "headers", "method", "status"),
    [
        ("/", KNOWN, "GET", 200),
        ("/", KNOWN, "HEAD", 200),
        ("/", KNOWN, "POST", 405),
        ("/", KNOWN, "OPTIONS", 405),
        ("/", {"host": "[::1]:8421", "cookie": f"{COOKIE}={TOKEN}"}, "GET", 200),
        ("/", KNOWN | {"host": "other.example"}, "GET", 421),
        ("/", KNOWN | {"host": "[::1"}, "GET", 421),
        ("/", {"cookie": f"{COOKIE}={TOKEN}"}, "GET", 421),
        ("/", KNOWN | {"origin": f"http://{NAME}:8421"}, "GET", 200),
        ("/", KNOWN | {"origin": f"http://{NAME}"}, "GET", 403),
        ("/", KNOWN | {"origin": "null"}, "GET", 403),
        ("/", KNOWN | {"origin": ""}, "GET", 403),
        ("/run", KNOWN | {"sec-fetch-site": "none"}, "GET", 200),
        ("/run", KNOWN | {"sec-fetch-site": "same-origin"}, "GET", 200),
        ("/run", KNOWN | {"sec-fetch-site": "cross-site"}, "GET", 403),
        ("/run", KNOWN | {"sec-fetch-site": "same-site"}, "GET", 403),
        ("/", KNOWN | {"sec-fetch-site": "cross-site"}, "GET", 200),
        ("/", HOST, "GET", 401),
        ("/", HOST | {"cookie": f"{COOKIE}=7c1f"}, "GET", 401),
        ("/", HOST | {"cookie": f"other={TOKEN}"}, "GET", 401),
        ("/", HOST | {"cookie": f"{COOKIE}=\xe9"}, "GET", 401),
        ("/", HOST | {"authorization": f"Bearer {TOKEN}"}, "GET", 200),
        ("/", HOST | {"authorization": f"bearer  {TOKEN} "}, "GET", 200),
        ("/", HOST | {"authorization": f"Basic {TOKEN}"}, "GET", 401),
        ("/", HOST | {"authorization": TOKEN}, "GET", 401),
        (f"/?token={TOKEN}", HOST, "GET", 303),
        ("/?token=7c1f", HOST, "GET", 401),
        (f"/?TOKEN={TOKEN}", HOST, "GET", 401),
    ],
)
def test_a_request_is_answered_by_its_host_name_method_origin_and_token(
    path: str, headers: dict[str, str], method: str, status: int
) -> None:
    code, heads, body = answered(path, headers, method)
    assert code == status
    assert (body == b"page") == (code == 200)
    assert heads.items() >= {**HEADERS, "content-security-policy": POLICY}.items()


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (f"/?token={TOKEN}", "/"),
        (f"/run/a?x=&token={TOKEN}&y=1", "/run/a?x=&y=1"),
        (f"//other.example/?token={TOKEN}", "/other.example/"),
        (f"/?token=no&token={TOKEN}", "/"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_token_moves_from_the_address_into_a_cookie_of_this_host(path: str, to: str, scheme: str) -> None:
    status, heads, _ = answered(path, HOST, scheme=scheme)
    assert (status, heads["location"]) == (303, to)
    words = {word.strip().lower() for word in heads["set-cookie"].split(";")}
    assert {f"{COOKIE}={TOKEN}", "httponly", "samesite=strict"} <= words
    assert ("secure" in words) == (scheme == "https")


def test_a_page_may_have_a_policy_of_its_own() -> None:
    assert answered("/own", KNOWN)[1]["content-security-policy"] == "own"


def test_what_is_no_request_goes_to_the_server_only_if_it_is_its_beginning_or_end() -> None:
    called: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        called.append(scope["type"])

    async def nothing(*_: Any) -> Any:
        return None

    for kind in ("websocket", "lifespan"):
        asyncio.run(Guard(app, TOKEN, [NAME])({"type": kind}, nothing, nothing))
    assert called == ["lifespan"]
