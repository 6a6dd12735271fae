"""Recompute every digest of a lockfile: python3 recompute_digests.py [mcp-lock.toml ...]

Needs Python 3.11 and the package rfc8785 (any JCS library would do). Exits 1 and names the item
when a digest does not match; see docs/lockfile.md, section 2.
"""

import hashlib
import json
import math
import sys
import tomllib
import uuid
from decimal import Decimal

import rfc8785

KINDS = {"tool": "name", "prompt": "name", "resource": "uri", "resource_template": "uri_template"}


def digest(text, *path):
    """The digest over a member of a JSON text, or over all of it; None if there is no such member."""
    kept = {}  # placeholder -> text of a number that no double holds exactly

    def number(text):
        double = float(text)
        if math.isfinite(double) and Decimal(rfc8785.dumps(double).decode()) == Decimal(text):
            return double
        placeholder = uuid.uuid4().hex
        kept[placeholder] = text
        return placeholder

    value = json.loads(text, parse_int=number, parse_float=number)
    for name in path:
        if name not in value:
            return None
        value = value[name]
    canonical = rfc8785.dumps(value)
    for placeholder, text in kept.items():
        canonical = canonical.replace(f'"{placeholder}"'.encode(), text.encode())
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


def differences(lockfile):
    """Yields a line for each digest that is not the one written."""
    for server in lockfile.get("server", []):
        name = " ".join(filter(None, [server["name"], server.get("profile")]))
        text = server.get("instructions_text")
        if server.get("instructions") != (text and digest(text)):
            yield f"{ascii(name)}: instructions"
        for kind, key in KINDS.items():
            for item in server.get(kind, []):
                expected = {"contract": digest(item["definition"])}
                if kind == "tool":
                    expected["schema"] = digest(item["definition"], "inputSchema")
                    expected["description"] = digest(item["definition"], "description")
                for part, value in expected.items():
                    if item.get(part) != value:
                        yield f"{ascii(name)}: {kind} {ascii(item[key])}: {part}"


found = False
for path in sys.argv[1:] or ["mcp-lock.toml"]:
    with open(path, encoding="utf-8-sig") as file:
        for line in differences(tomllib.loads(file.read())):
            print(f"{path}: {line} does not match")
            found = True
sys.exit(found)
