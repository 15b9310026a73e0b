"""Puts kazoo to work on a server: main.py SERVER ROOT. Prints for each check "ok NAME" or "not ok NAME"; what went
wrong follows it on lines that begin with a space. Each check works below a path of its own, ROOT/NAME."""
import faulthandler
import sys
import traceback

import data
import recipes
import sessions
from common import Bench

server, root = sys.argv[1:]
faulthandler.dump_traceback_later(540, exit=True)  # says where it hangs
for check in data.CHECKS + recipes.CHECKS + sessions.CHECKS:
    name = check.__name__
    try:
        check(Bench(server, root + "/" + name))
        print("ok", name, flush=True)
    except Exception:
        print("not ok", name)
        print(" " + traceback.format_exc().replace("\n", "\n "), flush=True)
