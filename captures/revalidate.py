"""Judges the witnesses of a report of captures/run again, with another validator.

    revalidate.py CATALOG CAPTURE REPORT      needs the package jsonschema

For each finding with a call: whether the server's schema and the far side's take it.
"""

import json
import sys

import jsonschema


def tools(value):
    for tool in value["tools"]:
        function = tool.get("function", tool)
        yield function["name"], function.get("parameters") or function.get("inputSchema")


def main(catalog, capture, report):
    near = dict(tools(json.load(open(catalog))))
    far = dict(tools(json.load(open(capture))))
    wrong = 0
    for server in json.load(open(report))["servers"]:
        for finding in server["findings"]:
            if not finding.get("witness"):
                continue
            name = finding["item"].removeprefix("tool:")
            call = finding["witness"]["value"]
            takes = [
                jsonschema.Draft202012Validator(schema[name]).is_valid(call) for schema in (near, far)
            ]
            expected = {"constraint-lost": [False, True], "narrowed": [True, False]}.get(finding["rule"])
            right = expected is None or takes == expected
            wrong += not right
            print(finding["rule"], name, finding["pointer"], json.dumps(call))
            print("   server takes it:", takes[0], "- far side takes it:", takes[1], "" if right else "WRONG")
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
