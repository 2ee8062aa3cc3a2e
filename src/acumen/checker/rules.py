"""What each rule means, for who meets its id in a report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Help:
    title: str
    text: str


_KINDS = {
    "antipattern": (
        "The name promises something that the signature or the body does not keep.",
        "A linguistic antipattern: readers who trust the name will be wrong about what the method "
        "does or gives. Rename the method, or make it do what its name says.",
    ),
    "convention": (
        "The name is not formed as those of its siblings are.",
        "Methods of the same shape, in the same class or project, are named in another way. Who "
        "looks for the method will look under the other form.",
    ),
    "neighbours": (
        "Methods that do the same have other names.",
        "The methods whose bodies are most like this one are called something else, and those with "
        "names like this one do something else.",
    ),
    "background": (
        "Such methods are named otherwise elsewhere.",
        "In the code that the background was learned from, methods of this kind begin with another "
        "word, by what they take, do and give.",
    ),
    "words": (
        "The words of the name are not those of the body.",
        "The name uses words that neither the signature nor the body of the method knows.",
    ),
}
_OTHER = ("The name is probably wrong.", "A model judges that another name would fit the method.")


def help_of(rule: str, kind: str) -> Help:
    """The help of a rule; where the rule has none of its own, that of its kind."""
    from acumen.models.naming.antipatterns import RULES

    title, text = _KINDS.get(kind, _OTHER)
    literature = {one.id: one.source for one in RULES}.get(rule)
    text += f" See {literature}." if literature else ""
    silence = f"If the name is right, say so above the method: // acumen: ok({rule}) and why."
    words = rule.replace("-", " ")
    return Help(f"{words[:1].upper()}{words[1:]}: {title}", f"{title} {text} {silence}")
