"use strict";
// Filter the findings by words, rule, probability, and whether they are suppressed.
const form = document.getElementById("filter");
const items = Array.from(document.querySelectorAll("#findings > li"));
const texts = items.map((item) => item.textContent.toLowerCase());

function show() {
  const words = document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rule = document.getElementById("rule").value;
  const least = Number(document.getElementById("least").value) || 0;
  const quiet = document.getElementById("quiet").checked;
  let shown = 0;
  items.forEach((item, i) => {
    const fits =
      (quiet || !item.dataset.suppressed) &&
      (!rule || item.dataset.rule === rule) &&
      Number(item.dataset.probability) >= least &&
      words.every((word) => texts[i].includes(word));
    item.hidden = !fits;
    shown += fits ? 1 : 0;
  });
  document.getElementById("count").textContent = `${shown} shown`;
}

form.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
show();
