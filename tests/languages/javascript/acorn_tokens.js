// The tokens of files as acorn sees them: where each starts and ends in bytes, its type, whether
// it is a keyword; and the values of all by acorn's scanner alone.
"use strict";
const { acorn, offsets, parse, each } = require("./acorn_files.js");

function valueOf({ value, type: { label } }) {
  if (value === undefined) return label;
  const text = String(label === "regexp" ? value.value : value);
  return (label === "privateId" ? "#" + text : text).toWellFormed();
}

function scanned(text) {
  try {
    return [...acorn.tokenizer(text, { ecmaVersion: "latest", allowHashBang: true })].map(valueOf);
  } catch (error) {
    return null; // JSX, which the scanner does not know
  }
}

each((text) => {
  const at = offsets(text);
  const tokens = parse(text).tokens
    .filter((token) => token.type.label !== "eof")
    .map((token) => [at[token.start], at[token.end], token.type.label, !!token.type.keyword]);
  return { tokens, values: scanned(text) };
});
