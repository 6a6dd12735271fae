"""The table of docs/projections.md from the reports of captures/run. Standard library only."""

import collections
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
# Capture, packages whose versions are shown, and what it is.
CAPTURES = {
    "python-mcp": (["mcp"], "the official Python SDK's client: `list_tools`, dumped again"),
    "langchain": (["langchain-mcp-adapters", "langchain-openai"], "what the model is sent"),
    "openai-agents": (["openai-agents"], "what the model is sent"),
    "openai-agents-strict": (["openai-agents"], "the same with `convert_schemas_to_strict`"),
    "fastmcp": (["fastmcp"], "a FastMCP proxy before the server, 2025-11-25"),
    "fastmcp-modern": (["fastmcp"], "the same proxy, 2026-07-28"),
    "litellm": (["litellm"], "what the model is sent"),
    "vercel-ai": (["ai", "@ai-sdk/mcp"], "what the model is sent"),
}


def versions():
    found = {}
    for file in sorted((here / "requirements").glob("*.txt")):
        for line in file.read_text().splitlines():
            match = re.match(r"([A-Za-z0-9._-]+)==(\S+)", line)
            if match:
                found[(file.stem, match[1].lower())] = match[2]
    for package, version in json.loads((here / "package.json").read_text())["dependencies"].items():
        found[("vercel-ai", package)] = version
    return found


def main(folder, reports):
    known = versions()
    print("| through | versions | server | tools | lost | by rule | told |")
    print("|---|---|---|---|---|---|---|")
    for report in reports:
        server, _, name = pathlib.Path(report).name.removesuffix(".report.json").partition("-")
        packages, what = CAPTURES[name]
        for one in json.loads(pathlib.Path(report).read_text())["servers"]:
            if "projection" not in one:
                continue
            lost = collections.Counter(f["rule"] for f in one["findings"] if f["level"] == "unfit")
            told = collections.Counter(f["rule"] for f in one["findings"] if f["level"] == "advice")
            rules = ", ".join(f"{rule} {count}" for rule, count in sorted(lost.items()))
            advice = ", ".join(f"{rule} {count}" for rule, count in sorted(told.items()))
            stem = {"python-mcp": "langchain", "openai-agents-strict": "openai-agents"}.get(name, name)
            stem = stem.removesuffix("-modern")
            version = ", ".join(f"{package} {known.get((stem, package), '?')}" for package in packages)
            print(
                f"| {name}: {what} | {version} | {server} | {one['items']} | {sum(lost.values())} "
                f"| {rules or 'nothing'} | {advice or 'nothing'} |"
            )


main(sys.argv[1], sys.argv[2:])
