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

// A link to another chapter of the guide chooses it here; streamlit would open a new tab.
if (!window.chaptersInPlace) {
  window.chaptersInPlace = true;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="?chapter="]');
    const title = link && new URL(link.href).searchParams.get("chapter");
    const choices = [...document.querySelectorAll("[data-testid=stRadioOption], [data-testid=stRadio] label")];
    const choice = title && choices.find((one) => one.innerText.trim() === title);
    if (!choice || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choice.click();
    document.querySelector("[data-testid=stMain]").scrollTo(0, 0);
  }, true);
}

// Back at a server that was away, streamlit asks it nothing: this looks, as the key r does, what is there.
if (!window.looksAgain) {
  window.looksAgain = true;
  let wasAway = false;
  setInterval(() => {
    const isAway = !document.querySelector("[data-test-connection-state=CONNECTED]");
    if (wasAway && !isAway) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
    wasAway = isAway;
  }, 500);
}

// In the presenter's view of Learn arrows lead from step to step, unless a slider or an answer has
// the focus; the keys of a remote control always do. Escape, or a click on an answer, ends a focus.
if (!window.stepsByKeys) {
  window.stepsByKeys = true;
  const ways = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back" };
  document.addEventListener("keydown", (event) => {
    const presents = document.querySelector(".st-key-presented"), way = ways[event.key];
    const isUsed = event.key.startsWith("Arrow") && event.target.closest?.("input, [role=slider]");
    if (presents && event.key === "Escape") document.activeElement.blur();
    if (!presents || !way || isUsed || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    presents.querySelector(`.st-key-${way} button`)?.click();
  }, true);
  document.addEventListener("pointerup", () => setTimeout(() => {
    document.querySelector(".st-key-presented input[type=radio]:focus")?.blur();
  }));
}
