"""What the audit found, in words."""

import streamlit as st

from evencover.core import AuditResult

from ...wording.page_texts import plain
from ...wording.verdict import verdict


def show_findings(result: AuditResult) -> None:
    """Draw the sentences that matter most."""
    st.info("\n\n".join(map(plain, result.headline)))


def show_more_words(result: AuditResult) -> None:
    """Draw the other sentences, closed at first."""
    with st.expander("In more words"):
        st.markdown("\n\n".join([*map(plain, result.findings), verdict(result)]))
