// The table of instances: search, filter by tag, sort, pages. Only one page is in the document, so
// that a thousand rows and twenty models stay fast.

const PAGE_SIZE = 25;

function instanceTable(data, mount) {
  const state = { key: "order", descending: false, page: 0, query: "", tag: "", models: new Set(data.shown) };
  const table = el("table", { class: "instances" });
  const status = el("p", { role: "status" });
  const earlier = el("button", { type: "button", onclick: () => turn(-1) }, "Previous");
  const later = el("button", { type: "button", onclick: () => turn(1) }, "Next");

  const columns = () => [
    { key: "id", label: "Instance", of: (i) => data.ids[i] },
    ...(data.questions ? [{ key: "question", label: "Question", of: (i) => data.questions[i] }] : []),
    ...(data.truths ? [{ key: "truth", label: "Truth", numeric: isNumeric(data.truths), of: (i) => data.truths[i] }] : []),
    ...[...state.models].sort((a, b) => a - b).map((m) => ({
      key: `model-${m}`, label: data.models[m], model: m, numeric: isNumeric(data.answers[m]), of: (i) => data.answers[m][i],
    })),
  ];

  function matching() {
    const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const tag = state.tag === "" ? -1 : Number(state.tag);
    const texts = columns();
    return data.ids.map((_, i) => i).filter((i) => {
      if (tag >= 0 && !data.tagged[i].includes(tag)) return false;
      if (!words.length) return true;
      const all = texts.map((column) => formatValue(column.of(i))).join("\n").toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }

  function sorted(rows) {
    const column = columns().find(({ key }) => key === state.key);
    if (!column) return rows;
    const sign = state.descending ? -1 : 1;
    return rows.sort((a, b) => {
      const x = column.of(a);
      const y = column.of(b);
      // Missing values come last in both orders.
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      if (typeof x === "number" && typeof y === "number") return sign * (x - y) || a - b;
      return sign * String(x).localeCompare(String(y), "en", { numeric: true }) || a - b;
    });
  }

  function header(column) {
    const active = state.key === column.key;
    const order = active ? (state.descending ? "descending" : "ascending") : "none";
    const arrow = active ? (state.descending ? "▼" : "▲") : "";
    const sort = () => {
      state.descending = active && !state.descending;
      state.key = column.key;
      state.page = 0;
      draw();
      table.querySelector(`[data-key="${column.key}"] button`).focus();
    };
    return el("th", { scope: "col", class: column.numeric ? "num" : "", "aria-sort": order, "data-key": column.key },
      el("button", { type: "button", onclick: sort }, column.label, el("span", { "aria-hidden": "true" }, arrow)));
  }

  function cell(column, i) {
    if (column.key === "id") {
      const tags = (data.tagged ? data.tagged[i] : []).filter((tag) => !data.hidden_tags.includes(tag)).map((tag) => data.tags[tag]).join(", ");
      return el("th", { scope: "row" }, el("code", {}, data.ids[i]), tags ? el("small", { class: "tag" }, tags) : null);
    }
    if (column.model === undefined) {
      return el("td", { class: column.numeric ? "num" : column.key }, formatValue(column.of(i)));
    }
    return answerCell(data, column.model, i);
  }

  function draw() {
    const rows = sorted(matching());
    const pages = Math.max(1, Math.ceil(rows.length / PAGE_SIZE));
    state.page = Math.min(state.page, pages - 1);
    const first = state.page * PAGE_SIZE;
    const shown = rows.slice(first, first + PAGE_SIZE);
    const all = columns();
    table.replaceChildren(
      el("thead", {}, el("tr", {}, all.map(header))),
      el("tbody", {}, shown.map((i) => el("tr", {}, all.map((column) => cell(column, i))))),
    );
    status.textContent = rows.length
      ? `${first + 1} to ${first + shown.length} of ${rows.length}`
      : "No instance matches.";
    earlier.disabled = state.page === 0;
    later.disabled = state.page >= pages - 1;
  }

  function turn(step) {
    state.page += step;
    draw();
  }

  function refilter(change) {
    change();
    state.page = 0;
    draw();
  }

  const search = el("input", { type: "search", autocomplete: "off", spellcheck: "false",
    oninput: (event) => refilter(() => { state.query = event.target.value; }) });
  const controls = el("div", { class: "controls" }, el("label", {}, "Search", search));
  if (data.tags && data.tags.length) {
    controls.append(el("label", {}, "Only with tag",
      el("select", { onchange: (event) => refilter(() => { state.tag = event.target.value; }) },
        el("option", { value: "" }, "any"), data.tags.map((tag, i) => el("option", { value: String(i) }, tag)))));
  }
  const picker = el("details", { class: "picker" }, el("summary", {}, "Choose models"),
    el("div", { class: "choices" }, data.models.map((name, m) => el("label", {},
      el("input", { type: "checkbox", checked: state.models.has(m),
        onchange: (event) => refilter(() => {
          if (event.target.checked) state.models.add(m);
          else state.models.delete(m);
        }) }), name))));
  if (data.ids.length < data.total) mount.append(el("p", { class: "notice" }, cappedText(data)));
  mount.append(controls, picker,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Instances of ${data.task}` }, table),
    el("div", { class: "pager" }, earlier, later, status));
  draw();
}

function isNumeric(values) {
  return values.every((value) => value === null || typeof value === "number");
}

function cappedText(data) {
  return `${data.ids.length} of ${data.total} instances are shown, chosen by a hash of their ids. ` +
    "Scores and tests use all of them.";
}

function answerCell(data, model, i) {
  const error = data.errors[model][i];
  if (error) return el("td", { class: "failed" }, `failed: ${error}`);
  const value = data.answers[model][i];
  const text = formatValue(value);
  if (data.mode !== "right" || data.observed[model][i] === null) {
    return el("td", { class: typeof value === "number" ? "num" : "" }, text);
  }
  const right = data.observed[model][i] === 1;
  return el("td", { class: right ? "right" : "wrong" }, text, el("span", { class: "hidden-text" }, right ? " (right)" : " (wrong)"));
}
