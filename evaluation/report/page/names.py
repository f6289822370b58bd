"""What things are called: the report, rules and numbers of the game, agents, what a verdict is about."""

from typing import Any, Final

from duel_env.game import find_ruleset
from evaluation.report.figures import Role, Verdict, VerdictCode
from evaluation.report.page.shown import Reader

NOT_COUNTED: Final = frozenset({"max_rounds"})
"""Options that no figure of a report depends on: perfect play is solved without a round limit."""


def title_text(reader: Reader) -> str:
    """Which game, which skills."""
    about = reader.report.about
    return reader.wording("title", ruleset=about.ruleset, first=about.skills[0], second=about.skills[1])


def subtitle_text(reader: Reader) -> str:
    """What differs from the rules as they are without options."""
    text, about = reader.wording, reader.report.about
    defaults = find_ruleset(about.ruleset).options_model().model_dump(mode="json")
    changed: list[str] = []
    for option, value in about.options.items():
        if value == defaults.get(option) or option in NOT_COUNTED:
            continue
        changed.append(text("own_spells") if option == "spells" else f"{option} = {option_value(value)}")
    return text("rules_changed", options=", ".join(changed)) if changed else text("rules_as_they_are")


def option_value(value: Any) -> str:
    """A value of an option as it is written with `--set`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def subject_name(reader: Reader, verdict: Verdict) -> str:
    """What a verdict is about, in words."""
    text, subject = reader.wording, verdict.subject or ""
    if verdict.code == VerdictCode.SENSITIVITY:
        return parameter_name(reader, subject)
    if verdict.code == VerdictCode.SNOWBALL:
        return text(f"event.{subject}") if subject else ""
    if verdict.code == VerdictCode.READING:
        return subject
    names = [reader.name(spell) for spell in subject.split()]
    if verdict.code == VerdictCode.ONE_SPELL_PER_ROLE and len(names) == len(Role):
        return text("per_role", first=names[0], answer=names[1])
    return text("then").join(names)


def parameter_name(reader: Reader, parameter: str) -> str:
    """A number of the rules in words."""
    text = reader.wording
    subject, _, kind = parameter.rpartition(".")
    if subject == "skill":
        return text("parameter.skill", player=kind)
    if subject:
        return text(f"parameter.{kind}", spell=reader.name(subject))
    return text(f"parameter.{parameter}")


def agent_name(reader: Reader, agent: str) -> str:
    """An agent in words, where there are some."""
    key = f"agent.{agent}"
    return reader.wording(key) if reader.wording.has(key) else agent
