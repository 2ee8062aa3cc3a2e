// Two models side by side: their test, computed when the page was built, and the instances that flip.

const FLIPS_SHOWN = 12;

function sideBySide(data, mount) {
  if (data.models.length < 2) {
    mount.append(el("p", { class: "soft" }, "There is only one model with answers to show."));
    return;
  }
  const result = el("div", { "aria-live": "polite" });
  const choose = (label, selected) => {
    const select = el("select", { onchange: draw },
      data.models.map((name, m) => el("option", { value: String(m), selected: m === selected }, name)));
    return { select, label: el("label", {}, label, select) };
  };
  const first = data.shown[0];
  const second = data.shown.length > 1 ? data.shown[1] : data.models.findIndex((_, m) => m !== first);
  const a = choose("First model", first);
  const b = choose("Second model", second);
  function draw() {
    const left = Number(a.select.value);
    const right = Number(b.select.value);
    result.replaceChildren(...(left === right
      ? [el("p", { class: "soft" }, "Choose two different models.")]
      : [...testView(data, left, right), flipsView(data, left, right)]));
  }
  mount.append(el("div", { class: "controls" }, a.label, b.label), result);
  draw();
}

function findTest(data, a, b) {
  for (const [i, j, difference, low, high, p, holm, visible, different, name] of data.tests) {
    if (i === a && j === b) return { difference, low, high, p, holm, visible, different, name };
    if (i === b && j === a) {
      const [lower, upper] = low === null ? [null, null] : [-high, -low];
      return { difference: -difference, low: lower, high: upper, p, holm, visible, different, name };
    }
  }
  return null;
}

function formatP(p) {
  if (typeof p !== "number") return ABSENT;
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function testView(data, a, b) {
  const [nameA, nameB] = [data.models[a], data.models[b]];
  const test = findTest(data, a, b);
  if (!test) {
    const reasons = [nameA, nameB].filter((name) => name in data.leftOut).map((name) => `${name}: ${data.leftOut[name]}`);
    return [el("p", { class: "verdict" }, `No test: ${reasons.join("; ") || "the two were not compared"}.`)];
  }
  if (test.p === null) {
    return [el("p", { class: "verdict" }, `No test: ${test.name}. The difference is ${formatNumber(test.difference)}.`)];
  }
  const [better, worse] = (data.lower ? -test.difference : test.difference) >= 0 ? [nameA, nameB] : [nameB, nameA];
  const unseen = test.visible === null
    ? ""
    : ` A true difference below ${formatNumber(test.visible)} would often not be detected.`;
  const verdict = test.different
    ? `${better} is better than ${worse}: a difference this large is unlikely by chance.`
    : `The difference between ${nameA} and ${nameB} is not significant.${unseen}`;
  const level = `${Number((100 * data.confidence).toFixed(2))} %`;
  const facts = [
    [`${nameA} minus ${nameB}`, formatNumber(test.difference)],
    [`${level} interval`, `${formatNumber(test.low)} to ${formatNumber(test.high)}`],
    [`p (${test.name})`, formatP(test.p)],
    ["p after Holm", formatP(test.holm)],
    ["smallest visible difference", formatNumber(test.visible)],
  ];
  return [
    el("p", { class: "verdict" }, verdict),
    el("dl", { class: "numbers" }, facts.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value)))),
    el("p", { class: "caption" }, `The test uses the ${data.compared} instances that all compared models answer, evaluation set ${data.evaluation_set}.`),
  ];
}

function flipsView(data, a, b) {
  const [nameA, nameB] = [data.models[a], data.models[b]];
  if (data.mode === "none") {
    return el("p", { class: "soft" }, "Flipped instances cannot be shown: the truths are not on this page, or the metric has no score for one answer.");
  }
  const shared = data.ids.map((_, i) => i).filter((i) => data.observed[a][i] !== null && data.observed[b][i] !== null);
  const gains = data.mode === "rank" ? rankGains(data, a, b, shared) : scoreGains(data, a, b, shared);
  const forA = gains.filter(({ gain }) => gain > 0).sort((x, y) => y.gain - x.gain || x.i - y.i);
  const forB = gains.filter(({ gain }) => gain < 0).sort((x, y) => x.gain - y.gain || x.i - y.i);
  const explained = {
    right: "Instances that only one of the two gets right",
    gain: "Instances where one of the two does better",
    rank: "Instances by how much closer one model's rank is to the rank of the truth",
  }[data.mode];
  const capped = data.ids.length < data.total ? `, of the ${data.ids.length} on this page` : "";
  return el("div", {},
    el("h3", {}, "Flipped instances"),
    el("p", { class: "caption" }, `${explained}, among the ${shared.length} that count for both${capped}.`),
    el("div", { class: "flips" }, flipList(data, a, b, nameA, forA), flipList(data, a, b, nameB, forB)));
}

function scoreGains(data, a, b, shared) {
  const sign = data.lower ? -1 : 1;
  return shared.map((i) => ({ i, gain: sign * (data.observed[a][i] - data.observed[b][i]) }));
}

function rankGains(data, a, b, shared) {
  const truth = midranks(shared.map((i) => data.ranked[i]));
  const ranksA = midranks(shared.map((i) => data.observed[a][i]));
  const ranksB = midranks(shared.map((i) => data.observed[b][i]));
  return shared.map((i, k) => {
    const errors = [Math.abs(ranksA[k] - truth[k]), Math.abs(ranksB[k] - truth[k])];
    return { i, gain: errors[1] - errors[0], errors };
  });
}

function flipList(data, a, b, name, flips) {
  const title = { right: `Only ${name} is right`, gain: `${name} does better`, rank: `${name} is closer` }[data.mode];
  const shown = flips.slice(0, FLIPS_SHOWN);
  const count = flips.length > shown.length ? `${shown.length} of ${flips.length}` : String(flips.length);
  const heading = el("h3", {}, title, " ", el("span", { class: "soft" }, count));
  if (!shown.length) return el("div", {}, heading, el("p", { class: "soft" }, "None."));
  const ranks = data.mode === "rank";
  const columns = ["Instance", "Truth", data.models[a], data.models[b]];
  return el("div", {}, heading,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      el("table", {},
        el("thead", {}, el("tr", {}, columns.map((label, k) => el("th", { scope: "col", class: ranks && k ? "num" : "" }, label)))),
        el("tbody", {}, shown.map(({ i, errors }) => el("tr", {},
          el("th", { scope: "row" }, el("code", {}, data.ids[i])),
          el("td", { class: ranks ? "num" : "" }, formatValue(data.truths[i])),
          [a, b].map((model, side) => {
            const cell = answerCell(data, model, i);
            if (ranks) cell.append(el("small", {}, `${errors[side]} ranks off`));
            return cell;
          })))))));
}
