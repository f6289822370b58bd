"""The rule sets that a search may choose from, how far each is from today's, and what was changed, in words."""

import difflib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from duel_env.config import load, shown
from duel_env.errors import ConfigError
from duel_env.game import Game, find_ruleset, make_game
from evaluation.exact import require_enumerable
from evaluation.tuning.figures import Figures
from evaluation.tuning.settings import Change, TuneConfig

Value = bool | int | str
Parameters = Mapping[str, Value]
"""A value for each thing that may change."""

_LIST: Final = "spells"


class Edit(NamedTuple):
    """One thing that differs from today's rules.

    Attributes:
        name: as in the table [change].
        before, after: its value today and in the candidate.
        steps: how many steps lie between them; 1 for another choice.
    """

    name: str
    before: Value
    after: Value
    steps: int


class Space:
    """What a `TuneConfig` lets a search choose from.

    Attributes:
        config: the file.
        today: the game of today's rules.
        changes: what may change.
        today_values: today's value of each.
    """

    def __init__(self, config: TuneConfig) -> None:
        """Check the tables [game], [change] and [[want]] against the ruleset.

        Raises:
            ConfigError: a ruleset that is not solved exactly; names an option, spell, key or value that the ruleset does not have;
                today's value is not among those of a change; a want that no rules can meet.
        """
        self.config = config
        self.today = make_game(config.ruleset, config.game, "[game]")
        require_enumerable(self.today)
        self.changes = config.change
        self._options = self.today.options_json()
        self.today_values: dict[str, Value] = {name: self._value_today(name) for name in self.changes}
        for name, change in self.changes.items():
            self._check_change(name, change)
        self._check_wants()

    @cached_property
    def spell_ids(self) -> tuple[str, ...]:
        """Ids of the spells, in the order of the rules; none in a ruleset without a list of them."""
        return tuple(spell["id"] for spell in self._options.get(_LIST, ()))

    def _value_today(self, name: str) -> Value:
        parts = name.split(".")
        if len(parts) == 1 and name in self._options and name != _LIST:
            value = self._options[name]
        elif len(parts) == 3 and parts[0] == _LIST and parts[1] in self.spell_ids:
            spell = self._options[_LIST][self.spell_ids.index(parts[1])]
            if parts[2] not in spell or parts[2] == "id":
                allowed = [key for key in spell if key != "id"]
                raise ConfigError(f"[change] {shown(name)}: a spell has no {shown(parts[2])}{_near(parts[2], allowed)}")
            value = spell[parts[2]]
            if isinstance(value, str):
                raise ConfigError(f"[change] {shown(name)}: {parts[2]} is text for people: it changes nothing in a duel")
        else:
            names = [key for key in self._options if key != _LIST]
            names += [f"{_LIST}.{spell}.penalty" for spell in self.spell_ids]
            raise ConfigError(f"[change] {shown(name)}: there is no such option or spell{_near(name, names)}")
        if not isinstance(value, bool | int | str):
            raise ConfigError(f"[change] {shown(name)}: it is no single number, text or true or false")
        return value

    def _check_change(self, name: str, change: Change) -> None:
        today = self.today_values[name]
        if not any(_same(today, value) for value in change.values):
            text = f"{change.low} to {change.high} in steps of {change.step}" if change.choices is None else "the choices"
            raise ConfigError(f"[change] {shown(name)}: today's value {today!r} is not among {text}")
        for value in (change.values[0], change.values[-1]) if change.choices is None else change.values:
            if type(value) is not type(today):
                raise ConfigError(f"[change] {shown(name)}: {value!r} is not of the kind of today's value {today!r}")
            try:
                self.game({**self.today_values, name: value})
            except ConfigError as error:
                raise ConfigError(f"[change] {shown(name)}: {value!r} is not accepted: {error}") from error

    def _check_wants(self) -> None:
        for want in self.config.want:
            for pair in want.skills:
                load(self.today.ruleset.setup_model, {"skills": pair}, "[[want]]")
            if want.figure in ("spell_share", "one_spell") and not self.spell_ids:
                raise ConfigError(f"[[want]] {want.figure}: the ruleset {self.config.ruleset!r} has no list of spells")
            for spell in want.spells or ():
                if spell not in self.spell_ids:
                    raise ConfigError(f"[[want]] spell_share: there is no spell {shown(spell)}{_near(spell, self.spell_ids)}")
            concerned = want.spells or self.spell_ids
            if want.figure == "spell_share" and want.low is not None and want.low * len(concerned) > 1.0 + 1e-9:
                raise ConfigError(
                    f"[[want]] spell_share: {len(concerned)} spells cannot have {100 * want.low:g} % of all casts each"
                )
            if want.figure == "mean_rounds" and want.high is not None and want.high < 1.0:
                raise ConfigError(f"[[want]] mean_rounds: high = {want.high:g}, but every duel has at least one round")

    def options(self, parameters: Parameters) -> dict[str, Any]:
        """Options of the ruleset, as JSON values, in which each thing that may change has the value given."""
        options = {**self._options, _LIST: [dict(spell) for spell in self._options.get(_LIST, ())]}
        if not self.spell_ids:
            del options[_LIST]
        for name, value in parameters.items():
            parts = name.split(".")
            target = options if len(parts) == 1 else options[_LIST][self.spell_ids.index(parts[1])]
            target[parts[-1]] = value
        return options

    def game(self, parameters: Parameters) -> Game:
        """The game of a candidate: an object of its own, which nothing keeps alive.

        Raises:
            ConfigError: the ruleset does not accept it.
        """
        ruleset = find_ruleset(self.config.ruleset)
        return Game(ruleset, load(ruleset.options_model, self.options(parameters), "a candidate"))

    def index(self, name: str, value: Value) -> int:
        """Place of a value among those possible."""
        return next(number for number, known in enumerate(self.changes[name].values) if _same(known, value))

    def edits(self, parameters: Parameters) -> tuple[Edit, ...]:
        """What differs from today's rules."""
        found = []
        for name, before in self.today_values.items():
            after = parameters[name]
            if not _same(before, after):
                steps = 1 if self.changes[name].choices is not None else abs(self.index(name, after) - self.index(name, before))
                found.append(Edit(name, before, after, steps))
        return tuple(found)

    def distance(self, parameters: Parameters) -> float:
        """How far a candidate is from today's rules: over all that changed, the sum of steps times their cost."""
        return float(sum(self.changes[edit.name].cost * edit.steps for edit in self.edits(parameters)))

    def check_figures(self, figures: Sequence[Figures]) -> None:
        """Figures from a file.

        Raises:
            ConfigError: they are not of the pairs of skills that a want is about, or not of the spells of the rules.
        """
        if [found.skills for found in figures] != list(self.config.skills):
            raise ConfigError(f"expected figures for {self.config.skills}")
        for found in figures:
            for name in ("spell_share", "spell_loss", "one_spell"):
                by_spell = getattr(found, name)
                if by_spell is not None and tuple(by_spell) != self.spell_ids:
                    raise ConfigError(f"{name}: expected a value for each of {', '.join(self.spell_ids)}")

    def check_parameters(self, parameters: Any) -> dict[str, Value]:
        """Parameters from a file.

        Raises:
            ConfigError: they are not a value for each thing that may change.
        """
        if not isinstance(parameters, dict) or list(parameters) != list(self.changes):
            raise ConfigError(f"expected a value for each of {', '.join(self.changes)}")
        for name, value in parameters.items():
            if not any(_same(value, known) for known in self.changes[name].values):
                raise ConfigError(f"{name} = {shown(value)}: not a value that it may have")
        return parameters


def _same(left: Any, right: Any) -> bool:
    """Equal and of one type: 1 is not true."""
    return type(left) is type(right) and left == right


def _near(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]}?)" if near else f"; there are {', '.join(known)}"
