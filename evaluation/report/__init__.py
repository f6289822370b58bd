"""The designer's report: what perfect play says about a game, as figures without words or pictures."""

from evaluation.report.build import build_report, sheets_of
from evaluation.report.figures import Report
from evaluation.report.settings import Limits, ReportSettings, Thresholds

__all__ = ["Limits", "Report", "ReportSettings", "Thresholds", "build_report", "sheets_of"]
