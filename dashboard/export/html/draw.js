"use strict";
(async () => {
  const charts = [...document.querySelectorAll(".chart")];
  try {
    const text = document.getElementById("plotly-packed").textContent;
    const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const script = document.createElement("script");
    script.textContent = await new Response(unpacked).text();
    document.head.append(script);
    for (const place of charts) {
      const { data, layout } = JSON.parse(place.firstElementChild.textContent);
      await Plotly.newPlot(place, data, layout, { responsive: true, displayModeBar: false });
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
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
  for (const place of document.querySelectorAll(".chart .plot-container")) Plotly.Plots.resize(place.parentElement);
});
