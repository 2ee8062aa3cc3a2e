// What the programs that ask acorn have in common. Arguments: the folder with acorn and acorn-jsx,
// and a file that lists the files to read.
"use strict";
const fs = require("fs");
const path = require("path");
const [folder, listed] = process.argv.slice(2);
const acorn = require(path.join(folder, "acorn"));
const withJsx = acorn.Parser.extend(require(path.join(folder, "acorn-jsx"))());

// Byte offsets of all UTF-16 units of a text.
function offsets(text) {
  const found = new Int32Array(text.length + 1);
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    found[i] = at;
    if (unit < 0x80) at += 1;
    else if (unit < 0x800) at += 2;
    else if (unit >= 0xd800 && unit < 0xdc00) at += 4;
    else if (unit >= 0xdc00 && unit < 0xe000) at += 0;
    else at += 3;
  }
  found[text.length] = at;
  return found;
}

// Tree and tokens, as a module if it is one.
function parse(text) {
  let failure;
  for (const sourceType of ["module", "script"]) {
    const tokens = [];
    try {
      const tree = withJsx.parse(text, {
        ecmaVersion: "latest", sourceType, allowHashBang: true, onToken: tokens,
        allowReturnOutsideFunction: true, allowSuperOutsideMethod: true,
      });
      return { tree, tokens };
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

// One line of JSON for each file: what `look` makes of its text, or acorn's complaint.
function each(look) {
  for (const file of fs.readFileSync(listed, "utf8").split("\n").filter(Boolean)) {
    const text = fs.readFileSync(file, "utf8");
    let found;
    try {
      found = look(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      found = { error: String(error) };
    }
    process.stdout.write(JSON.stringify({ file, ...found }) + "\n");
  }
}

module.exports = { acorn, offsets, parse, each };
