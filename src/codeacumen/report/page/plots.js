// Vega-Lite plots. Folded ones are drawn when they become visible, all again when the theme changes.

const plotSpecs = readJson("plots");
const plotThemes = readJson("themes");
const drawn = new Map();

async function drawPlot(figure) {
  const previous = drawn.get(figure);
  const embedding = window.vegaEmbed(
    figure.querySelector(".canvas"),
    structuredClone(plotSpecs[figure.dataset.plot]),
    {
      mode: "vega-lite",
      actions: false,
      renderer: "svg",
      // Expressions are interpreted, not compiled: the page's policy forbids eval.
      ast: true,
      config: plotThemes[currentTheme()],
    },
  );
  drawn.set(figure, embedding);
  if (previous) (await previous).finalize();
  await embedding;
  figure.dataset.drawn = "true";
}

async function exportPlot(figure, format) {
  if (!drawn.has(figure)) await drawPlot(figure);
  const { view } = await drawn.get(figure);
  const name = `${figure.dataset.plot}.${format}`;
  if (format === "png") {
    save(name, await view.toImageURL("png", 2));
    return;
  }
  const url = URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }));
  save(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function startPlots() {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawPlot(target);
    }
  }, { rootMargin: "600px 0px" });
  for (const figure of document.querySelectorAll("figure[data-plot]")) {
    // A folded or hidden plot has no width to fit yet; the others are there when the page is printed.
    if (figure.closest("details, [hidden]")) seen.observe(figure);
    else drawPlot(figure);
    for (const button of figure.querySelectorAll("[data-export]")) {
      button.addEventListener("click", () => exportPlot(figure, button.dataset.export));
    }
  }
  themeListeners.push(() => {
    for (const figure of drawn.keys()) drawPlot(figure);
  });
}
