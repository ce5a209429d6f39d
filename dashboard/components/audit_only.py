"""DCV with respect to the audit-only columns."""

import streamlit as st

from evencover.core import AuditResult

from .. import texts
from ..exports import to_tables
from ..figures.style import NAMES


def show_audit_only(result: AuditResult) -> None:
    """Draw how coverage depends on the audit-only columns, if there are any."""
    if not result.audit_only:
        return
    st.subheader("Audit-only columns")
    st.markdown(texts.ABOUT_AUDIT_ONLY)
    table = to_tables(result)["audit_only"]
    st.dataframe(
        table.assign(algorithm=table["algorithm"].map(NAMES)),
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format=text, help=help_)
            for name, (text, help_) in texts.AUDIT_ONLY_COLUMNS.items()
        },
    )
