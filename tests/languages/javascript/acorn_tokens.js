// The tokens of files as acorn sees them: where each starts and ends in bytes, its type, whether
// it is a keyword; and the spelling of all in the streams IdBench's embeddings were trained on.
"use strict";
const { acorn, offsets, parse, each } = require("./acorn_files.js");

const LITERALS = ["num", "regexp", "string", "null", "true", "false"];

// IdBench's rule, applied to the tokens of acorn's scanner alone.
function spelt(token) {
  const { value, type: { label } } = token;
  let mark = "STD:";
  if (label === "name") mark = "ID:";
  else if (LITERALS.includes(label)) mark = "LIT:";
  if (value === undefined) return mark + label;
  const text = mark + String(label === "regexp" ? value.value : value);
  return text.slice(0, 200).toWellFormed();
}

function scanned(text) {
  try {
    return [...acorn.tokenizer(text, { ecmaVersion: "latest", allowHashBang: true })].map(spelt);
  } catch (error) {
    return null; // JSX, which the scanner does not know
  }
}

each((text) => {
  const at = offsets(text);
  const tokens = parse(text).tokens
    .filter((token) => token.type.label !== "eof")
    .map((token) => [at[token.start], at[token.end], token.type.label, !!token.type.keyword]);
  return { tokens, spelt: scanned(text) };
});
