"""Runs a program on a pseudo-terminal, for tests: on-terminal.py COLUMNS ROWS PROGRAM [ARGUMENT ...]

Reads lines of JSON from standard input: {"type": TEXT}, {"resize": [COLUMNS, ROWS]}, {"signal": "TERM"}.
Writes lines of JSON to standard output: {"shown": TEXT} as the program writes, and at its end
{"code": NUMBER or null, "signal": NUMBER or null, "isAsBefore": whether the terminal's modes are what they were}.
"""

import codecs
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios

columns, rows, *command = sys.argv[1:]
leader, follower = pty.openpty()


def resize(columns, rows):
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def write(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


resize(int(columns), int(rows))
before = termios.tcgetattr(follower)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
    for stream in (0, 1, 2):
        os.dup2(follower, stream)
    os.execvp(command[0], command)

text = codecs.getincrementaldecoder("utf-8")("replace")
asked = b""
inputs = [leader, 0]
status = None
while status is None:
    ready, _, _ = select.select(inputs, [], [], 0.05)
    if leader in ready:
        write({"shown": text.decode(os.read(leader, 65536))})
        continue
    if 0 in ready:
        chunk = os.read(0, 65536)
        if chunk == b"":
            inputs.remove(0)
            os.kill(child, signal.SIGKILL)
        *lines, asked = (asked + chunk).split(b"\n")
        for line in lines:
            wish = json.loads(line)
            if "type" in wish:
                os.write(leader, wish["type"].encode())
            if "resize" in wish:
                resize(*wish["resize"])
            if "signal" in wish:
                os.kill(child, getattr(signal, "SIG" + wish["signal"]))
        continue
    # Only when there is nothing more to show: what a program writes last is part of how it leaves.
    ended, found = os.waitpid(child, os.WNOHANG)
    if ended == child:
        status = found

write(
    {
        "code": os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "isAsBefore": termios.tcgetattr(follower) == before,
    }
)
