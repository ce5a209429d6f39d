// One entry in the history for each page, so that Back leads to the last one: streamlit adds one
// for the page, and others as the run's token enters the address.
if (!window.oneEntryAPage) {
  window.oneEntryAPage = true;
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) => {
    const isSamePage = new URL(url ?? "", location.href).pathname === location.pathname;
    (isSamePage ? history.replaceState.bind(history) : push)(state, unused, url);
  };
}
