"""The command `jetpack autoscale`."""

import argparse
import json
import logging
import sys
import time

import jetpack.autoscale
from ccscale import CcscaleError


def parse(arguments):
    description = "Sets how many nodes the cluster should have."
    parser = argparse.ArgumentParser(prog="jetpack autoscale", description=description)
    parser.add_argument("-n", "--name", default="execute", help="the node array (execute)")
    parser.add_argument("-c", "--corecount", type=int, help="cores")
    parser.add_argument("-i", "--instancecount", type=int, help="nodes")
    parser.add_argument("-f", "--file", type=argparse.FileType("rb"), help="JSON: a list of node array definitions")
    given = parser.parse_args(arguments)
    counts = [count for count in (given.corecount, given.instancecount) if count is not None]
    if (given.file is None) == (not counts):
        parser.error("expected either --corecount or --instancecount, or --file")
    return given


def main(arguments):
    given = parse(arguments)
    logging.basicConfig(format="jetpack autoscale: %(message)s", level=logging.WARNING)
    try:
        if given.file is None:
            posted = jetpack.autoscale.set(given.name, given.corecount, given.instancecount)
        else:
            posted = jetpack.autoscale.update(json.load(given.file))
    except (CcscaleError, ValueError) as error:
        return f"jetpack autoscale: {error}"
    until = time.strftime("%H:%M:%S UTC", time.gmtime(posted.answer["expiresAtSeconds"]))
    for target in posted.answer["targets"]:
        print(f"{target['name']}: {target['asked']} {target['unit']} until {until}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
