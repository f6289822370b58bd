"""A report as a page for people: one HTML file without scripts that opens from disk, in English or French."""

from evaluation.report.page.render import render_page, verdict_lines
from evaluation.report.page.wording import LANGUAGES, Language

__all__ = ["LANGUAGES", "Language", "render_page", "verdict_lines"]
