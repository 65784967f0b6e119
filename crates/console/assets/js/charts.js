// Draws a chart of a long series, with days and amounts in cents, in place of the chart that the server drew.

let loading;

function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.documentElement.dataset.uplot;
    script.addEventListener("load", () => resolve(window.uPlot));
    script.addEventListener("error", reject);
    document.head.append(script);
  });
  return loading;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Starts on a figure with `data-points`, `data-unit` and `data-title`. */
export async function attach(figure) {
  const Plot = await load();
  // While the script was loading, the page may have switched to a period with too few points for this chart.
  if (!figure.dataset.points) return;
  const [days, cents] = JSON.parse(figure.dataset.points);
  const currency = { style: "currency", currency: figure.dataset.unit };
  const money = new Intl.NumberFormat("pt-BR", currency);
  const short = new Intl.NumberFormat("pt-BR", { ...currency, notation: "compact" });
  const day = new Intl.DateTimeFormat("pt-BR", { day: "2-digit", month: "2-digit", year: "2-digit", timeZone: "UTC" });
  const at = days.map((iso) => Date.parse(`${iso}T00:00:00Z`) / 1000);
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, font: "12px system-ui" };
  const options = {
    width: figure.clientWidth,
    height: 220,
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1e3), "UTC"),
    cursor: { drag: { x: true, y: false } },
    series: [
      { label: "Dia", value: (_, seconds) => (seconds == null ? "–" : day.format(seconds * 1e3)) },
      {
        label: figure.dataset.title,
        stroke: colour("--accent"),
        width: 2,
        value: (_, value) => (value == null ? "–" : money.format(value / 100)),
      },
    ],
    axes: [
      { ...axis, values: (_, ticks) => ticks.map((seconds) => day.format(seconds * 1e3).slice(0, 5)) },
      { ...axis, size: 80, values: (_, ticks) => ticks.map((value) => short.format(value / 100)) },
    ],
  };
  const drawn = figure.querySelector("svg");
  const plot = new Plot(options, [at, cents], figure);
  plot.root.setAttribute("aria-hidden", "true");
  drawn.classList.add("sr");
  new ResizeObserver(() => plot.setSize({ width: figure.clientWidth, height: 220 })).observe(figure);
}
