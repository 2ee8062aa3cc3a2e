"use strict";
// Votes by pair: { goals, operations, effects, goals-confidence, …, at }. "at" is when; the newest
// wins, because pages may know votes from their own storage and from the address they were
// opened with.
const data = JSON.parse(document.getElementById("data").textContent);
const FLAVOURS = ["goals", "operations", "effects"];
const KEYS = FLAVOURS.concat(FLAVOURS.map((one) => one + "-confidence"));

// As text, because addresses are short of room: six digits or dashes in the order of KEYS, and when.
function packed(vote) {
  return KEYS.map((key) => (vote[key] === undefined ? "-" : vote[key])).join("") + vote.at.toString(36);
}

function unpacked(text) {
  if (!/^[012-]{6}[0-9a-z]{1,10}$/.test(text)) return null;
  const vote = { at: parseInt(text.slice(KEYS.length), 36) };
  KEYS.forEach((key, place) => { if (text[place] !== "-") vote[key] = Number(text[place]); });
  return vote;
}

function parsed(text) {
  const found = new Map();
  try {
    for (const [pair, packet] of Object.entries(JSON.parse(text) || {})) {
      const vote = unpacked(packet);
      if (vote) found.set(pair, vote);
    }
  } catch {
    // Somebody else's text.
  }
  return found;
}

function stored() {
  try {
    return parsed(localStorage.getItem(data.store));
  } catch {
    // A page opened from a file may be denied storage; then the addresses carry the votes.
    return new Map();
  }
}

function carried() {
  try {
    const [name, text] = location.hash.slice(1).split("=", 2);
    return name === data.store ? parsed(decodeURIComponent(text)) : new Map();
  } catch {
    return new Map();
  }
}

function merge(votes, others) {
  for (const [pair, vote] of others) {
    const known = votes.get(pair);
    if (!known || vote.at > known.at) votes.set(pair, vote);
  }
  return votes;
}

const votes = merge(stored(), carried());

function textOf() {
  return JSON.stringify(Object.fromEntries([...votes].map(([pair, vote]) => [pair, packed(vote)])));
}

function keep() {
  // Another page may have been at it meanwhile.
  merge(votes, stored());
  try {
    localStorage.setItem(data.store, textOf());
  } catch {
    // As above.
  }
  const carry = "#" + data.store + "=" + encodeURIComponent(textOf());
  for (const link of document.querySelectorAll("a[data-page]")) link.hash = carry;
}

function rated(pair) {
  const vote = votes.get(pair);
  return vote ? KEYS.filter((key) => vote[key] !== undefined).length : 0;
}

// ---- a pair's page

function startPair(form) {
  const state = document.getElementById("state");
  const tell = () => {
    const left = KEYS.length - rated(data.pair);
    state.textContent = left ? left + " of " + KEYS.length + " answers missing" : "Rated. You may change it at any time.";
  };
  const vote = votes.get(data.pair) || {};
  for (const key of KEYS) {
    const input = vote[key] === undefined ? null : form.querySelector(`input[name="${key}"][value="${vote[key]}"]`);
    if (input) input.checked = true;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    merge(votes, stored());
    const next = Object.assign({}, votes.get(data.pair), { at: Date.now() });
    next[event.target.name] = Number(event.target.value);
    votes.set(data.pair, next);
    keep();
    tell();
  });
  tell();
}

// ---- the page of all pairs

function slot(vote, flavour) {
  const whole = vote && vote[flavour] !== undefined && vote[flavour + "-confidence"] !== undefined;
  return whole
    ? { rating: vote[flavour], confidence: vote[flavour + "-confidence"] }
    : { rating: -1, confidence: -1 };
}

function asJson() {
  return data.pairs.map((pair) => {
    const entry = { pairid: pair.id, first: pair.first, second: pair.second };
    for (const flavour of FLAVOURS) entry[flavour] = [slot(votes.get(pair.id), flavour)];
    return entry;
  });
}

function asCsv() {
  const cell = (text) => '"' + String(text).replaceAll('"', '""') + '"';
  const lines = [["rater", "pair", ...FLAVOURS.flatMap((one) => [one, one + "_confidence"])].join(",")];
  for (const entry of asJson()) {
    const numbers = FLAVOURS.flatMap((one) => [entry[one][0].rating, entry[one][0].confidence]);
    lines.push([cell(data.rater), cell(entry.pairid), ...numbers].join(","));
  }
  return lines.join("\n") + "\n";
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function startIndex() {
  const draw = () => {
    let done = 0, next = null;
    // In the order of the pairs; an id may hold what an attribute cannot.
    document.querySelectorAll(".pairs a").forEach((link, place) => {
      const many = rated(data.pairs[place].id), whole = many === KEYS.length;
      link.classList.toggle("rated", whole);
      link.classList.toggle("begun", many > 0 && !whole);
      link.setAttribute("aria-label", "Pair " + link.textContent + (whole ? ", rated" : many ? ", begun" : ""));
      done += whole;
      if (!whole && next === null) next = link.getAttribute("href");
    });
    const all = data.pairs.length;
    document.getElementById("progress").value = done;
    document.getElementById("state").textContent = done + " of " + all + " rated";
    const go = document.getElementById("next");
    go.hidden = next === null;
    if (next !== null) go.setAttribute("href", next);
    go.textContent = done || document.querySelector("a.begun") ? "Continue" : "Start";
    keep();
  };
  const name = "votes" + (data.rater ? "-" + data.rater.replace(/[^\w.-]+/g, "_") : "");
  document.getElementById("save-json").addEventListener("click", () =>
    save(name + ".json", "application/json", JSON.stringify(asJson(), null, 1) + "\n"));
  document.getElementById("save-csv").addEventListener("click", () => save(name + ".csv", "text/csv", asCsv()));
  draw();
  // Back from a pair by the browser's own button, or rated in another window.
  for (const [target, kind] of [[window, "pageshow"], [window, "storage"], [window, "focus"]]) {
    target.addEventListener(kind, () => { merge(votes, stored()); draw(); });
  }
}

// ---- light or dark

function startTheme() {
  const root = document.documentElement, button = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  try {
    const choice = localStorage.getItem("codeacumen-theme");
    if (choice === "light" || choice === "dark") root.dataset.theme = choice;
  } catch {
    // As above.
  }
  const now = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  const tell = () => { button.textContent = now() === "dark" ? "Light" : "Dark"; };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = now() === "dark" ? "light" : "dark";
    tell();
    try {
      localStorage.setItem("codeacumen-theme", root.dataset.theme);
    } catch {
      // As above.
    }
  });
  dark.addEventListener("change", tell);
  tell();
}

startTheme();
keep();
const form = document.getElementById("votes");
if (form) startPair(form);
else startIndex();
