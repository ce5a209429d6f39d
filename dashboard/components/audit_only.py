"""DCV with respect to the audit-only columns."""

import streamlit as st

from evencover.core import AuditResult

from .. import texts
from ..exports import to_table
from ..figures.style import NAMES
from ..report.columns import AUDIT_ONLY
from .worded_table import show_worded


def show_audit_only(result: AuditResult) -> None:
    """Draw how coverage depends on the audit-only columns, if there are any."""
    if not result.audit_only:
        return
    st.subheader("Audit-only columns")
    st.markdown(texts.ABOUT_AUDIT_ONLY)
    table = to_table(result, "audit_only")
    show_worded(table.assign(algorithm=table["algorithm"].map(NAMES)), AUDIT_ONLY)
