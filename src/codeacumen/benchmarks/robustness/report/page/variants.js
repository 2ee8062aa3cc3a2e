// Viewer of variants and their originals: changed code, and predicted names before and after.

const OUTCOMES = {
  ccp: ["=", "right both times"],
  cwp: ["≠", "changed: right, then wrong"],
  wwsp: ["=", "the same wrong name"],
  wcp: ["≠", "changed: wrong, then right"],
  wwdp: ["≠", "changed: another wrong name"],
};
const CHANGES = new Set(["cwp", "wcp", "wwdp"]);
const ANY = "";

function variantViewer(data, mount) {
  const state = { kind: ANY, where: ANY, model: ANY, changed: false, at: 0 };
  const result = el("div", { class: "variant" });
  const status = el("p", { role: "status" });
  const earlier = el("button", { type: "button", onclick: () => move(-1) }, "Previous");
  const later = el("button", { type: "button", onclick: () => move(1) }, "Next");
  const jump = el("select", { onchange: (event) => { state.at = Number(event.target.value); draw(); } });
  let matching = [];

  function changedFor(variant) {
    if (state.model === ANY) return variant.changed;
    const prediction = variant.predictions[Number(state.model)];
    return Boolean(prediction) && CHANGES.has(prediction.type);
  }

  function refilter(change) {
    change();
    state.at = 0;
    matching = data.variants.filter((variant) => (state.kind === ANY || variant.kind === state.kind)
      && (state.where === ANY || variant.where === state.where)
      && (!state.changed || changedFor(variant)));
    jump.replaceChildren(...matching.map((variant, i) =>
      el("option", { value: String(i) }, `${i + 1}. ${data.originals[variant.original].name}, ${variant.kind}, ${variant.where}${changedFor(variant) ? " ≠" : ""}`)));
    draw();
  }

  function move(step) {
    state.at = Math.min(matching.length - 1, Math.max(0, state.at + step));
    draw();
  }

  function draw() {
    const none = matching.length === 0;
    earlier.disabled = none || state.at === 0;
    later.disabled = none || state.at === matching.length - 1;
    jump.disabled = none;
    status.textContent = none ? "No variant matches." : `${state.at + 1} of ${matching.length}`;
    result.replaceChildren(...(none ? [] : variantView(data, matching[state.at])));
    if (none) return;
    jump.value = String(state.at);
    for (const code of result.querySelectorAll("pre")) showFirstMark(code);
  }

  const choose = (label, key, options) => el("label", {}, label,
    el("select", { onchange: (event) => refilter(() => { state[key] = event.target.value; }) },
      options.map(([value, text]) => el("option", { value }, text))));
  const distinct = (key) => [...new Set(data.variants.map((variant) => variant[key]))].map((value) => [value, value]);
  const onlyChanged = el("input", { type: "checkbox", onchange: (event) => refilter(() => { state.changed = event.target.checked; }) });
  const controls = el("div", { class: "controls" },
    choose("Transformation", "kind", [[ANY, "any"], ...distinct("kind")]),
    choose("Places", "where", [[ANY, "any"], ...distinct("where")]),
    choose("Changed for", "model", [[ANY, "any model"], ...data.models.map((name, m) => [String(m), name])]),
    el("label", { class: "check" }, onlyChanged, "Changed only"),
    el("label", {}, "Variant", jump));
  const shown = data.variants.length < data.total
    ? `${data.variants.length} of ${data.total} variants, sampled by a hash of their ids, those with a change first: their shares are not representative. Methods of more than ${data.longest} characters are excluded. `
    : "";
  mount.append(
    el("p", { class: "caption" }, `${shown}The code is the input of the models, with less indentation. Use the left and right arrow keys to browse.`),
    controls, el("div", { class: "pager" }, earlier, later, status), result);
  mount.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const plainKey = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!step || !plainKey || event.target.closest("select, input, pre, .scroll")) return;
    event.preventDefault();
    move(step);
  });
  refilter(() => {});
}

function variantView(data, variant) {
  const original = data.originals[variant.original];
  return [
    el("h3", {}, original.name, " ", el("span", { class: "soft" }, `${variant.kind}, ${variant.where}: `, el("code", {}, variant.place))),
    original.where ? el("p", { class: "caption" }, el("code", {}, original.where)) : null,
    namesTable(data, variant, original),
    el("div", { class: "sides" },
      codeSide("Original", original.text, variant.removed, "del", variant.added.length ? "Nothing was removed." : "No token differs."),
      codeSide("Transformed", variant.text, variant.added, "ins", variant.removed.length ? "Nothing was added." : "No token differs.")),
  ].filter(Boolean);
}

function namesTable(data, variant, original) {
  const rows = data.models.map((model, m) => [model, variant.predictions[m]]).filter(([, prediction]) => prediction);
  const name = (label, text, right) => el("td", { class: right ? "right" : "wrong" }, el("small", { class: "narrow", "aria-hidden": "true" }, label), text === "" ? "no name" : text,
    el("span", { class: "hidden-text" }, right ? " (right)" : " (wrong)"));
  const cells = (prediction) => {
    if (prediction.error) return [el("td", { colspan: "3", class: "failed" }, `failed: ${prediction.error}`)];
    const [sign, words] = OUTCOMES[prediction.type];
    const changed = CHANGES.has(prediction.type);
    return [
      name("original", prediction.before, prediction.type === "ccp" || prediction.type === "cwp"),
      name("variant", prediction.after, prediction.type === "ccp" || prediction.type === "wcp"),
      el("td", { class: changed ? "outcome changed" : "outcome" }, el("b", { "aria-hidden": "true" }, sign), ` ${words} `, el("abbr", {}, prediction.type.toUpperCase())),
    ];
  };
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Names given to ${original.name} and its variant` },
    el("table", { class: "plain names" },
      el("thead", {}, el("tr", {}, ["Model", "Name for the original", "Name for the variant", "Outcome"].map((label) => el("th", { scope: "col" }, label)))),
      el("tbody", {}, rows.map(([model, prediction]) => el("tr", {}, el("th", { scope: "row" }, model), cells(prediction))))));
}

function codeSide(title, text, stretches, tag, nothing) {
  // Offsets count Unicode characters, not the UTF-16 units of JavaScript strings.
  const characters = Array.from(text);
  const parts = [];
  let at = 0;
  for (const [start, end] of stretches) {
    parts.push(characters.slice(at, start).join(""), el(tag, {}, characters.slice(start, end).join("")));
    at = end;
  }
  parts.push(characters.slice(at).join(""));
  return el("div", {}, el("h4", {}, title, stretches.length ? null : el("span", { class: "soft" }, ` ${nothing}`)),
    el("pre", { tabindex: "0", role: "region", "aria-label": `${title} code` }, el("code", {}, parts)));
}

function showFirstMark(code) {
  const mark = code.querySelector("ins, del");
  if (mark) code.scrollTop = Math.max(0, mark.offsetTop - code.clientHeight / 3);
}

function startRobustness() {
  const section = document.getElementById("robustness");
  if (!section) return;
  const viewer = section.querySelector("[data-variants]");
  if (viewer) onFirstOpen(viewer, (mount) => variantViewer(readJson("robustness-data"), mount));
  const choice = section.querySelector("[data-figures-of]");
  if (!choice) return;
  const show = () => {
    for (const group of section.querySelectorAll("[data-figures]")) group.hidden = group.dataset.figures !== choice.value;
    window.dispatchEvent(new Event("resize"));
  };
  choice.addEventListener("change", show);
  show();
}

startRobustness();
