"""A repository whose pull requests are each about one thing, with what must come of them.

Method bodies are long enough to be told apart. Comments of the first pull requests are those that
ReName4J quotes (figure 1 and section 3.2), with the names they are about.
"""

from __future__ import annotations

from renames.github_server import Repository

FOLDER = "core/src/main/java/acme"


def java(name: str, **methods: str) -> str:
    """A class of methods, each with a body that holds its key; ``key=name``."""
    parts = []
    for key, method in methods.items():
        parts.append(
            f"    /** Something about {key}. */\n"
            f"    public int {method}(int a, String {key}) {{\n"
            f"        int {key}Sum = a + {key}.length();\n"
            f"        for (int i = 0; i < {key}Sum; i++) {{\n"
            f"            {key}Sum -= {key}.charAt(i);\n"
            "        }\n"
            f"        return {key}Sum;\n"
            "    }\n"
        )
    return f"package acme;\n\npublic class {name} {{\n" + "\n".join(parts) + "}\n"


def path(name: str, folder: str = FOLDER) -> str:
    return f"{folder}/{name}.java"


def repository(name: str = "acme/widgets") -> Repository:
    made = Repository(name)
    files = (
        "Tokens",
        "Tasks",
        "Realm",
        "Store",
        "Wide",
        "Moved",
        "Again",
        "Typed",
        "Late",
        "Base",
    )
    made.commit("main", "", {path(one): java(one, keep="keep", also="also") for one in files})
    _asked_for(made)
    _by_other_ways(made)
    _nothing(made)
    return made


def _asked_for(made: Repository) -> None:
    # 1: suggested at the declaration, in a merged pull request.
    before = java("Tokens", keep="keep", token="register", also="also")
    after = java("Tokens", keep="keep", token="generateToken", also="also")
    made.commit("1a", "main", {path("Tokens"): before})
    made.commit("1b", "1a", {path("Tokens"): after})
    made.pull(1, "main", ["1a", "1b"])
    made.on_line(
        1,
        "1a",
        path("Tokens"),
        "int register(",
        "`register` is no good name any more, now that it keeps no state. To be consistent with "
        "what it does: **generateToken**?",
    )
    made.review(1, "APPROVED")
    # 2: inspired; the comment is outdated, it stands at the JavaDoc.
    before = java("Tasks", keep="keep", task="completeRestoration", also="also")
    after = java("Tasks", keep="keep", task="completeRestorationIfPossible", also="also")
    made.commit("2a", "main", {path("Tasks"): before})
    made.commit("2b", "2a", {path("Tasks"): after})
    made.pull(2, "main", ["2a", "2b"])
    made.on_line(
        2,
        "2a",
        path("Tasks"),
        "Something about task",
        "nit: could this be renamed, say 'maybeCompleteTransition' or "
        "'completeConversionIfNecessary'?",
        outdated=True,
    )
    # 3: a convention; several lines; the name is said by the author, in reply.
    before = java("Realm", keep="keep", realm="getRealmRef", also="also")
    after = java("Realm", keep="keep", realm="realmRef", also="also")
    made.commit("3a", "main", {path("Realm"): before})
    made.commit("3b", "3a", {path("Realm"): after})
    made.pull(3, "main", ["3a", "3b"], merged=False)
    asked = made.on_line(
        3,
        "3a",
        path("Realm"),
        "int getRealmRef(",
        "The other getter methods here follow the naming convention of builders, name() and not "
        "getName()",
        lines=3,
    )
    made.on_line(
        3,
        "3a",
        path("Realm"),
        "int getRealmRef(",
        "ok, realmRef it is",
        author="ann",
        reply_to=asked,
    )
    made.review(3, "CHANGES_REQUESTED")
    # 4: in the discussion, without a commit: that of the time is taken.
    before = java("Store", keep="keep", store="size", other="fetch", also="also")
    after = java("Store", keep="keep", store="approximateNumEntries", other="fetch", also="also")
    made.commit("4a", "main", {path("Store"): before}, day=5)
    made.commit("4b", "4a", {path("Store"): after}, day=6)
    made.pull(4, "main", ["4a", "4b"])
    made.say(4, 'I would not name it `size()`: how about "approximateNumEntries"?')


def _by_other_ways(made: Repository) -> None:
    # 5: a removed line on the left side, and the rename is the pull request's own, explained.
    made.commit("5a", "main", {path("Late"): java("Late", keep="retain", also="also")})
    made.pull(5, "main", ["5a"])
    made.on_line(
        5,
        "5a",
        path("Late"),
        "int keep(",
        "Renamed this method to make it clear: retain",
        author="ann",
        left=True,
    )
    # 6: a force-push; the commit that was commented on is not among the last one's ancestors.
    made.commit("6a", "main", {path("Forced"): java("Forced", keep="keep", odd="doIt")})
    made.commit("6b", "main", {path("Forced"): java("Forced", keep="keep", odd="openWindow")})
    made.pull(6, "main", ["6b"])
    made.on_line(
        6, "6a", path("Forced"), "int doIt(", "Not a descriptive name. openWindow?", author=None
    )
    # 7: the file is moved, the method renamed; told in the verdict of a review.
    before = java("Moved", keep="keep", also="also", shift="shift")
    after = java("Moved", keep="keep", also="also", shift="shiftLeft")
    made.commit("7a", "main", {path("Moved"): before})
    made.commit("7b", "7a", {path("Moved"): None, path("Moved", "core/moved"): after})
    made.pull(7, "main", ["7a", "7b"])
    made.say(7, "Which name do we want?")
    made.review(7, "COMMENTED", "Please name it `shiftLeft`, not `shift`.", "7a")
    # 8: an old comment without any line: the hunk tells.
    before = java("Again", keep="keep", again="again", also="also")
    after = java("Again", keep="keep", again="retryOnce", also="also")
    made.commit("8a", "main", {path("Again"): before})
    made.commit("8b", "8a", {path("Again"): after})
    made.pull(8, "main", ["8a", "8b"])
    made.on_line(8, "8a", path("Again"), "int again(", "a better name?", bare=True)
    # 9: a typo, in code that is an example.
    sample = path("Sample", "examples/src/acme")
    made.commit("9a", "main", {sample: java("Sample", one="recieveAll", also="also")})
    made.commit("9b", "9a", {sample: java("Sample", one="receiveAll", also="also")})
    made.pull(9, "main", ["9a", "9b"])
    made.on_line(9, "9a", sample, "int recieveAll(", "typo in the name: receiveAll")
    # 11: meanwhile another method of the file was renamed on the branch it goes into.
    made.commit("later", "main", {path("Base"): java("Base", keep="keep", also="alsoLater")})
    made.commit("11a", "main", {path("Base"): java("Base", keep="keepAll", also="also")})
    made.pull(11, "later", ["11a"])
    made.say(11, "I like the name keepAll; `also` may stay.")


def _nothing(made: Repository) -> None:
    # 20: renamed, but nobody speaks of names; a bot's word does not count, nor a null.
    made.commit("20a", "main", {path("Wide"): java("Wide", keep="keep", also="alsoMore")})
    made.pull(20, "main", ["20a"])
    made.on_line(20, "20a", path("Wide"), "alsoMore", "Looks good, the filename is fine.")
    made.on_line(20, "20a", path("Wide"), "alsoMore", "bad name", author="ci[bot]", bot=True)
    made.say(20, None)
    # 21: the body changed as well.
    changed = java("Wide", keep="keep", also="alsoMore").replace("also.charAt(i)", "also.length()")
    made.commit("21a", "main", {path("Wide"): changed})
    made.pull(21, "main", ["21a"])
    made.on_line(21, "21a", path("Wide"), "alsoMore", "Rename it to alsoMore.")
    # 22: a rename, and a comment on a name that is another one.
    made.commit("22a", "main", {path("Typed"): java("Typed", keep="keep", also="alsoTyped")})
    made.pull(22, "main", ["22a"])
    made.on_line(22, "22a", path("Typed"), "keepSum = a", "inconsistent variable name")
    # 23: the commit that was commented on is gone, and nothing else changed.
    made.commit("23z", "main", {path("Typed"): java("Typed", keep="keep", also="also", a="b")})
    made.commit("23b", "main", {path("Typed"): java("Typed", keep="keep", also="also", a="c")})
    made.pull(23, "main", ["23b"])
    made.on_line(23, "23z", path("Typed"), "int b(", "the name `b` says nothing, `c`?")
    del made.commits[next(one for one in made.commits if one == made.comments[-1]["commit_id"])]


# Pull request, file, old and new name, how it is linked, and features besides.
EXPECTED = [
    (1, "Tokens", "register", "generateToken", "declaration",
     {"accepted", "approved", "suggested", "consistency", "old name"}),
    (2, "Tasks", "completeRestoration", "completeRestorationIfPossible", "declaration",
     {"accepted", "inspired"}),
    (3, "Realm", "getRealmRef", "realmRef", "declaration", {"suggested", "convention"}),
    (4, "Store", "size", "approximateNumEntries", "named", {"accepted", "suggested", "old name"}),
    (5, "Late", "keep", "retain", "shown", {"accepted", "inspired", "by the author"}),
    (6, "Forced", "doIt", "openWindow", "declaration", {"accepted", "suggested"}),
    (7, "Moved", "shift", "shiftLeft", "named", {"accepted", "suggested", "old name"}),
    (8, "Again", "again", "retryOnce", "declaration", {"accepted"}),
    (9, "Sample", "recieveAll", "receiveAll", "declaration",
     {"accepted", "suggested", "typo", "example"}),
    (11, "Base", "keep", "keepAll", "named", {"accepted", "suggested"}),
]  # fmt: skip
