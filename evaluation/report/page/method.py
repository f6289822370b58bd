"""How the figures were made, and what they do not say."""

from evaluation.report.page.blocks import Block, Facts, Heading, Listing, Paragraph, Section
from evaluation.report.page.names import NOT_COUNTED, option_value
from evaluation.report.page.shown import Reader, Text


def method_section(reader: Reader) -> Section:
    """Method, limits, versions, settings."""
    text, report = reader.wording, reader.report
    method = report.method
    items: list[tuple[Text, Text]] = [
        (text("method.states"), reader.count("method.states")),
        (text("method.decisions"), reader.count("method.decisions")),
        (text("method.merged"), reader.count("method.merged_states")),
        (text("method.solutions"), reader.count("method.solutions")),
        (text("method.error"), reader.tiny("headline.max_error")),
        (text("method.seeds"), ", ".join(map(str, method.seeds)) if method.seeds else text("method.no_seeds")),
        (text("method.ruleset"), text("method.ruleset_value", name=report.about.ruleset, version=report.about.ruleset_version)),
    ]
    items += [(name, version) for name, version in method.versions.items()]
    options = [
        (option, option_value(value))
        for option, value in report.about.options.items()
        if not isinstance(value, list | dict) and option not in NOT_COUNTED
    ]
    settings = method.settings.model_dump(mode="json")
    thresholds = settings.pop("thresholds")
    lines: list[tuple[Text, Text]] = [
        (
            name,
            text("limits.both", warn=_plain(reader, limits["warn"]), fail=_plain(reader, limits["fail"]))
            if isinstance(limits, dict)
            else _plain(reader, limits),
        )
        for name, limits in thresholds.items()
    ]
    blocks: list[Block] = [
        Paragraph(text("method.intro")),
        Paragraph(text("method.exact")),
        Heading(text("method.limits")),
        Listing([text(f"limit.{limit.value}") for limit in method.limits]),
        Heading(text("method.numbers")),
        Facts(items),
        Heading(text("method.rules")),
        Facts(options),
        Paragraph(text("method.digest", digest=report.about.digest)),
        Heading(text("method.thresholds")),
        Paragraph(text("method.thresholds_intro")),
        Facts(lines),
        Heading(text("method.settings")),
        Facts([(name, _plain(reader, value)) for name, value in settings.items()]),
    ]
    return Section(anchor="method", title=text("section.method"), blocks=blocks)


def _plain(reader: Reader, value: object) -> str:
    """A setting: numbers with the decimal sign of the language, lists with separators."""
    if isinstance(value, list):
        return "; ".join(_plain(reader, item) for item in value)
    if isinstance(value, float):
        return reader.wording.short(value)
    return str(value)
