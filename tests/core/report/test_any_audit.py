"""Nothing ends in a bug: audits of awkward tables with any options, each from one seed."""

import auditing
import pytest


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_any_audit_ends_in_a_result_or_in_a_sentence(seed):
    outcome = auditing.look(seed)
    assert outcome.startswith(("audited", "refused")), auditing.draw(seed)[1]
