"""The verbs in their groups, the former names of verbs and options, and names from other tools that suggest ours."""

GROUPS = {
    "Test": ("tests", "plan", "run", "repeat", "resume", "watch"),
    "Results": ("show", "list", "report", "compare", "verify", "query", "serve", "publish", "import"),
    "Drives": ("devices", "inspect", "purge", "provision"),
    "Many drives": ("lot", "fleet", "sweep"),
    "Tools": ("doctor", "host", "trace", "capture", "schema"),
}
"""The verbs as `stend --help` lists them."""

LASTING = {"run", "repeat", "resume", "inspect", "purge", "provision", "fleet", "sweep", "capture", "serve"}
"""Verbs that continue without readers of their output."""

OLD_VERBS = {"prepare": "provision", "batch": "lot"}
"""Former names of verbs. They work until version 0.2, with a message."""

OLD_OPTIONS = {
    "capture": {"--into": "--output", "--limit": "--limit-size"},
    "compare": {"--name": "--side-name"},
    "fleet carry": {"--drive": "--target"},
    "fleet drives": {"--drive": "--target"},
    "fleet worker": {"--drive": "--target"},
    "import": {"--to": "--into"},
    "lot": {"--plan": "--acceptance"},
    "publish": {"--to": "--into"},
    "purge": {"--limit": "--limit-minutes"},
    "repeat": {"--interleave": "--target"},
    "serve": {"--name": "--host-name"},
    "sweep": {"--plan": "--dry-run", "--where": "--require"},
    "trace show": {"--reader": "--from"},
    "trace convert": {"--reader": "--from"},
}
"""Former names of options, by verb. They work until version 0.2, with a message."""

OLD_SCHEMAS = {"batch": "lot"}
"""Former names of schemas. They work until version 0.2, with a message."""

VERBS = {
    "run": ("start", "bench", "benchmark", "measure", "test", "exec", "fio", "begin", "precondition"),
    "resume": ("continue", "restart", "recover"),
    "watch": ("status", "follow", "tail", "top", "monitor", "attach", "progress", "log", "logs"),
    "show": ("info", "view", "cat", "result", "summary", "print", "open"),
    "list": ("ls", "runs", "history", "dir"),
    "report": ("html", "pdf", "export", "render", "results"),
    "compare": ("diff", "cmp", "vs"),
    "verify": ("check", "fsck", "validate", "checksum"),
    "query": ("sql", "select", "search", "find", "grep"),
    "serve": ("web", "server", "gui", "dashboard", "http"),
    "devices": ("drives", "disks", "drive", "device", "smart", "lsblk", "identify", "health"),
    "inspect": ("survey", "scan", "surface", "diskscan", "badblocks", "passport", "incoming"),
    "purge": ("erase", "wipe", "sanitize", "format", "trim", "discard", "secure-erase"),
    "provision": ("resize", "overprovision", "namespace", "hpa"),
    "plan": ("estimate", "dry-run", "preview"),
    "doctor": ("setup", "install", "config", "diagnose", "version"),
    "tests": ("suites", "profiles", "suite", "profile"),
    "fleet": ("cluster", "hosts", "slurm"),
    "trace": ("traces", "iolog", "blktrace"),
    "import": ("load", "convert", "add"),
    "repeat": ("again", "loop", "series"),
}
"""Words that users of other tools type, by the verb that does this here."""

NO_VERB = {
    **dict.fromkeys(("delete", "rm", "remove", "clean", "del"), "a run is a folder: delete it with `rm -r RUN`"),
    **dict.fromkeys(
        ("stop", "kill", "abort", "cancel", "pause"),
        "press Ctrl-C in the terminal of the run, or send SIGTERM to the process that `stend watch` names",
    ),
    **dict.fromkeys(("update", "upgrade", "self-update"), "update stend by `pip install --upgrade stend`"),
    **dict.fromkeys(("stend", "sudo"), "leave it out: `stend VERB`, or `sudo stend VERB` as root"),
    "calibrate": "it is for developers of virtual drives: run `python -m benchmarks.calibrate` in a clone of stend",
    **dict.fromkeys(("rename", "mv", "move", "copy", "cp"), "a run is a folder: move or copy it like any other"),
}
"""Advice for verbs that stend does not have."""

NO_OPTION = {
    ("watch", "--json"): "`stend show RUN --json` prints the results, and events.jsonl in RUN has an event per line",
    ("publish", "--lang"): "a site has pages in all languages",
    ("import", "--format"): "--from names the format of the files",
    ("publish", "--format"): "a site has HTML pages, and the figures as JSON and CSV",
    ("inspect", "--format"): "`stend report RUN --format F` writes other formats",
    ("serve", "--lang"): "each page has a link to its other language",
}
"""Advice for options that other verbs have."""

OPTIONS = {
    "--target": ("--device", "--drive", "--disk", "--dev", "--filename", "--file", "--path", "-d"),
    "--into": ("--output", "--out", "--outdir", "--output-dir", "--dir", "--folder", "--to", "--dest", "-o"),
    "--format": ("--type", "--output-format", "--fmt", "-f"),
    "--depth": ("--iodepth", "--qd", "--queue-depth"),
    "--threads": ("--numjobs", "--jobs", "--workers", "-j"),
    "--round-seconds": ("--runtime", "--duration", "--time"),
    "--create": ("--size",),
    "--destroy-data": ("--yes", "--force", "--confirm", "--i-know", "-y", "-f"),
    "--detach": ("--background", "--daemon", "--bg"),
    "--label": ("--tag", "--title", "--comment"),
    "--tested-by": ("--operator", "--user", "--author"),
    "--lang": ("--language", "--locale"),
    "--where": ("--filter", "--select"),
    "--json": ("--as-json",),
    "--quick": ("--fast", "--short"),
}
"""Options of other tools and verbs, by ours."""
