// Of charts on a page of the dashboard and in a report: what their two buttons do, by mouse and key.
if (!window.chartsAlong) {
  window.chartsAlong = true;
  // no tag may stand here: streamlit would leave out the whole script
  const word = (text) => `.modebar-btn[data-title$=${text}] .icon { background: center / contain no-repeat url("data:image/svg+xml,\
%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 34 14'%3E%3Ctext y='12' font-size='14' font-family='sans-serif'%3E${text}%3C/text%3E%3C/svg%3E"); }`;
  document.head.append(document.createElement("style"));
  document.head.lastChild.textContent = `${word("PNG")} ${word("SVG")}
    .modebar-btn .icon { width: 2.4em !important; } .modebar-btn .icon * { display: none; }
    .modebar:focus-within { opacity: 1 !important; } @media print { .modebar { display: none; } }`;

  // The second button takes the chart along as SVG, both of them on white and with its name.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".modebar-btn"), chart = button?.closest(".js-plotly-plot");
    if (!chart || !event.isTrusted) return;
    event.stopPropagation();
    const camera = chart.querySelector(".modebar-btn");
    const { paper_bgcolor, title, margin, meta } = chart.layout, room = title?.text ? 0 : 30;
    const form = button === camera ? { format: "png", scale: 2 } : { format: "svg", scale: 1 };
    Object.assign(chart._context.toImageButtonOptions, form, { height: chart._fullLayout.height + room });
    const named = { title: { text: meta?.name }, margin: { ...margin, t: (margin?.t ?? 70) + room } };
    Object.assign(chart.layout, { paper_bgcolor: "white" }, room && named);
    camera.click(); // plotly copies the layout at once
    Object.assign(chart.layout, { paper_bgcolor, title, margin });
  }, true);

  // A toolbar is one stop of the tabulator; the arrows lead from button to button.
  document.addEventListener("keydown", (event) => {
    const bar = event.target.closest?.(".modebar, [data-testid=stElementToolbar]");
    const buttons = [...(bar?.querySelectorAll("button") ?? [])];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Tab") buttons.at(event.shiftKey ? 0 : -1)?.focus();
    if (step) buttons.at((buttons.indexOf(event.target) + step) % buttons.length)?.focus();
  }, true);
}
