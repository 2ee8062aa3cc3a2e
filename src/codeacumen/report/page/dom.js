// Small helpers. Text from data reaches the page through text nodes only, never as HTML.

const ABSENT = "–";
const MINUS = "−";

function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function readJson(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function formatNumber(value, digits = 3) {
  if (typeof value !== "number") return ABSENT;
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", MINUS);
}

// An answer or a truth: whole numbers as they are, others to three digits, texts untouched.
function formatValue(value) {
  if (value === null || value === undefined) return ABSENT;
  if (typeof value !== "number") return value === "" ? "“”" : value;
  return Number.isInteger(value) ? String(value).replace("-", MINUS) : formatNumber(value);
}

// Ranks from 1, ties share their mean rank, as Spearman's correlation has it.
function midranks(values) {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const ranks = new Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1]] === values[order[start]]) end += 1;
    for (let i = start; i <= end; i += 1) ranks[order[i]] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return ranks;
}

function save(name, url) {
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
