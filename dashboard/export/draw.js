"use strict";
(async () => {
  document.documentElement.dataset.charts = "drawing";
  const charts = [...document.querySelectorAll(".chart")];
  try {
    const text = document.getElementById("plotly-packed").textContent;
    const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const script = document.createElement("script");
    script.textContent = await new Response(unpacked).text();
    document.head.append(script);
    for (const place of charts) {
      const { data, layout, config } = JSON.parse(place.firstElementChild.textContent);
      await Plotly.newPlot(place, data, layout, { responsive: true, displaylogo: false, ...config });
    }
    document.documentElement.dataset.charts = "drawn";
  } catch (error) {
    for (const place of charts) {
      if (!place.querySelector(".plot-container")) {
        place.style.height = "auto";
        place.append("This chart needs a newer browser (of 2023 or later); the tables hold its figures.");
      }
    }
    document.documentElement.dataset.charts = "failed";
    console.error(error);
  }
})();
const PRINTED_WIDTH = 690; // of A4 and Letter within their margins
const drawnCharts = () => [...document.querySelectorAll(".chart")].filter((place) => place.querySelector(".plot-container"));
addEventListener("beforeprint", () => {
  for (const place of drawnCharts()) {
    const { showlegend = null } = place.layout; // a legend that needs fewer lines than before moves only if drawn anew
    Plotly.relayout(place, { autosize: false, width: PRINTED_WIDTH, showlegend: false });
    Plotly.relayout(place, { showlegend });
  }
});
addEventListener("afterprint", () => {
  for (const place of drawnCharts()) Plotly.relayout(place, { autosize: true, width: null });
});
