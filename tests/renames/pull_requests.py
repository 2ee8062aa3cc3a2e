"""A repository whose pull requests test one case each, with the renames that mining must find.

Method bodies are long enough to be matched uniquely. The comments of the first pull requests, and
their names, are quoted from ReName4J (figure 1 and section 3.2).
"""

from __future__ import annotations

from renames.github_server import Repository

FOLDER = "core/src/main/java/acme"


def class_with_methods(name: str, **methods: str) -> str:
    """Return a class with a method per keyword ``key=name``, whose body contains the key."""
    method_texts = []
    for key, method in methods.items():
        method_texts.append(
            f"    /** Something about {key}. */\n"
            f"    public int {method}(int a, String {key}) {{\n"
            f"        int {key}Sum = a + {key}.length();\n"
            f"        for (int i = 0; i < {key}Sum; i++) {{\n"
            f"            {key}Sum -= {key}.charAt(i);\n"
            "        }\n"
            f"        return {key}Sum;\n"
            "    }\n"
        )
    return f"package acme;\n\npublic class {name} {{\n" + "\n".join(method_texts) + "}\n"


def java_path(name: str, folder: str = FOLDER) -> str:
    return f"{folder}/{name}.java"


def build_repository(name: str = "acme/widgets") -> Repository:
    repository = Repository(name)
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
    repository.add_commit(
        "main",
        "",
        {
            java_path(file_name): class_with_methods(file_name, keep="keep", also="also")
            for file_name in files
        },
    )
    _add_reviewed_renames(repository)
    _add_unusually_linked_renames(repository)
    _add_pulls_without_result(repository)
    return repository


def _add_reviewed_renames(repository: Repository) -> None:
    # 1: suggested at the declaration, in a merged pull request.
    before = class_with_methods("Tokens", keep="keep", token="register", also="also")
    after = class_with_methods("Tokens", keep="keep", token="generateToken", also="also")
    repository.add_commit("1a", "main", {java_path("Tokens"): before})
    repository.add_commit("1b", "1a", {java_path("Tokens"): after})
    repository.add_pull(1, "main", ["1a", "1b"])
    repository.add_line_comment(
        1,
        "1a",
        java_path("Tokens"),
        "int register(",
        "`register` is no good name any more, now that it keeps no state. To be consistent with "
        "what it does: **generateToken**?",
    )
    repository.add_review(1, "APPROVED")
    # 2: inspired; the comment is outdated and at a line of the JavaDoc.
    before = class_with_methods("Tasks", keep="keep", task="completeRestoration", also="also")
    after = class_with_methods(
        "Tasks", keep="keep", task="completeRestorationIfPossible", also="also"
    )
    repository.add_commit("2a", "main", {java_path("Tasks"): before})
    repository.add_commit("2b", "2a", {java_path("Tasks"): after})
    repository.add_pull(2, "main", ["2a", "2b"])
    repository.add_line_comment(
        2,
        "2a",
        java_path("Tasks"),
        "Something about task",
        "nit: could this be renamed, say 'maybeCompleteTransition' or "
        "'completeConversionIfNecessary'?",
        outdated=True,
    )
    # 3: a convention; the comment spans several lines; the author writes the name in a reply.
    before = class_with_methods("Realm", keep="keep", realm="getRealmRef", also="also")
    after = class_with_methods("Realm", keep="keep", realm="realmRef", also="also")
    repository.add_commit("3a", "main", {java_path("Realm"): before})
    repository.add_commit("3b", "3a", {java_path("Realm"): after})
    repository.add_pull(3, "main", ["3a", "3b"], merged=False)
    comment_id = repository.add_line_comment(
        3,
        "3a",
        java_path("Realm"),
        "int getRealmRef(",
        "The other getter methods here follow the naming convention of builders, name() and not "
        "getName()",
        lines=3,
    )
    repository.add_line_comment(
        3,
        "3a",
        java_path("Realm"),
        "int getRealmRef(",
        "ok, realmRef it is",
        author="ann",
        reply_to=comment_id,
    )
    repository.add_review(3, "CHANGES_REQUESTED")
    # 4: a comment in the discussion has no commit: the latest commit at its time counts.
    before = class_with_methods("Store", keep="keep", store="size", other="fetch", also="also")
    after = class_with_methods(
        "Store", keep="keep", store="approximateNumEntries", other="fetch", also="also"
    )
    repository.add_commit("4a", "main", {java_path("Store"): before}, day=5)
    repository.add_commit("4b", "4a", {java_path("Store"): after}, day=6)
    repository.add_pull(4, "main", ["4a", "4b"])
    repository.add_discussion_comment(
        4, 'I would not name it `size()`: how about "approximateNumEntries"?'
    )


def _add_unusually_linked_renames(repository: Repository) -> None:
    # 5: the author explains a rename of the pull request at a removed line, on the left side.
    repository.add_commit(
        "5a", "main", {java_path("Late"): class_with_methods("Late", keep="retain", also="also")}
    )
    repository.add_pull(5, "main", ["5a"])
    repository.add_line_comment(
        5,
        "5a",
        java_path("Late"),
        "int keep(",
        "Renamed this method to make it clear: retain",
        author="ann",
        on_base=True,
    )
    # 6: a force-push; the commented commit is not an ancestor of the last one.
    repository.add_commit(
        "6a", "main", {java_path("Forced"): class_with_methods("Forced", keep="keep", odd="doIt")}
    )
    repository.add_commit(
        "6b",
        "main",
        {java_path("Forced"): class_with_methods("Forced", keep="keep", odd="openWindow")},
    )
    repository.add_pull(6, "main", ["6b"])
    repository.add_line_comment(
        6,
        "6a",
        java_path("Forced"),
        "int doIt(",
        "Not a descriptive name. openWindow?",
        author=None,
    )
    # 7: the file moves and the method is renamed; the body of a review suggests it.
    before = class_with_methods("Moved", keep="keep", also="also", shift="shift")
    after = class_with_methods("Moved", keep="keep", also="also", shift="shiftLeft")
    repository.add_commit("7a", "main", {java_path("Moved"): before})
    repository.add_commit(
        "7b", "7a", {java_path("Moved"): None, java_path("Moved", "core/moved"): after}
    )
    repository.add_pull(7, "main", ["7a", "7b"])
    repository.add_discussion_comment(7, "Which name do we want?")
    repository.add_review(7, "COMMENTED", "Please name it `shiftLeft`, not `shift`.", "7a")
    # 8: an old comment without line numbers: the hunk shows its line.
    before = class_with_methods("Again", keep="keep", again="again", also="also")
    after = class_with_methods("Again", keep="keep", again="retryOnce", also="also")
    repository.add_commit("8a", "main", {java_path("Again"): before})
    repository.add_commit("8b", "8a", {java_path("Again"): after})
    repository.add_pull(8, "main", ["8a", "8b"])
    repository.add_line_comment(
        8, "8a", java_path("Again"), "int again(", "a better name?", without_lines=True
    )
    # 9: a typo in example code.
    sample = java_path("Sample", "examples/src/acme")
    repository.add_commit(
        "9a", "main", {sample: class_with_methods("Sample", one="recieveAll", also="also")}
    )
    repository.add_commit(
        "9b", "9a", {sample: class_with_methods("Sample", one="receiveAll", also="also")}
    )
    repository.add_pull(9, "main", ["9a", "9b"])
    repository.add_line_comment(9, "9a", sample, "int recieveAll(", "typo in the name: receiveAll")
    # 11: the target branch meanwhile renamed another method of the file.
    repository.add_commit(
        "later",
        "main",
        {java_path("Base"): class_with_methods("Base", keep="keep", also="alsoLater")},
    )
    repository.add_commit(
        "11a", "main", {java_path("Base"): class_with_methods("Base", keep="keepAll", also="also")}
    )
    repository.add_pull(11, "later", ["11a"])
    repository.add_discussion_comment(11, "I like the name keepAll; `also` may stay.")


def _add_pulls_without_result(repository: Repository) -> None:
    # 20: a rename, but no comment mentions names; comments of bots and null bodies do not count.
    repository.add_commit(
        "20a", "main", {java_path("Wide"): class_with_methods("Wide", keep="keep", also="alsoMore")}
    )
    repository.add_pull(20, "main", ["20a"])
    repository.add_line_comment(
        20, "20a", java_path("Wide"), "alsoMore", "Looks good, the filename is fine."
    )
    repository.add_line_comment(
        20, "20a", java_path("Wide"), "alsoMore", "bad name", author="ci[bot]", bot=True
    )
    repository.add_discussion_comment(20, None)
    # 21: the body changed, too.
    changed_text = class_with_methods("Wide", keep="keep", also="alsoMore").replace(
        "also.charAt(i)", "also.length()"
    )
    repository.add_commit("21a", "main", {java_path("Wide"): changed_text})
    repository.add_pull(21, "main", ["21a"])
    repository.add_line_comment(21, "21a", java_path("Wide"), "alsoMore", "Rename it to alsoMore.")
    # 22: a rename, and a comment on a different name.
    repository.add_commit(
        "22a",
        "main",
        {java_path("Typed"): class_with_methods("Typed", keep="keep", also="alsoTyped")},
    )
    repository.add_pull(22, "main", ["22a"])
    repository.add_line_comment(
        22, "22a", java_path("Typed"), "keepSum = a", "inconsistent variable name"
    )
    # 23: the commented commit no longer exists, and no other file changed.
    repository.add_commit(
        "23z",
        "main",
        {java_path("Typed"): class_with_methods("Typed", keep="keep", also="also", a="b")},
    )
    repository.add_commit(
        "23b",
        "main",
        {java_path("Typed"): class_with_methods("Typed", keep="keep", also="also", a="c")},
    )
    repository.add_pull(23, "main", ["23b"])
    repository.add_line_comment(
        23, "23z", java_path("Typed"), "int b(", "the name `b` says nothing, `c`?"
    )
    del repository.commits[
        next(
            commit_hash
            for commit_hash in repository.commits
            if commit_hash == repository.comments[-1]["commit_id"]
        )
    ]


# Pull request, file, old and new name, kind of link, and further features.
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
