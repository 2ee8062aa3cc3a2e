// The paths of files as acorn's trees (ESTree) have them: for each two leaves within the limits,
// where they start in bytes, the edges up and down, and the width. All pairs are tried.
"use strict";
const { offsets, parse, each } = require("./acorn_files.js");
const [length, width, mostLeaves] = process.argv.slice(4).map(Number);

const LEAVES = [
  "Identifier", "PrivateIdentifier", "JSXIdentifier", "Literal", "ThisExpression", "Super",
];
const LEFT_OUT = ["EmptyStatement", "JSXText", "JSXEmptyExpression", "TemplateElement"];

function childrenOf(node) {
  // A name that stands for two things is in the tree twice.
  if (node.shorthand) return [node.value];
  const twin = node.imported || node.exported;
  if (twin && node.local && node.local.start === twin.start) return [node.local];
  const found = [];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child.type === "string") found.push(child);
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

// Nodes that ESTree has and the grammar has not.
function isPassed(node, parent) {
  const { type } = node;
  if (type === "ChainExpression" || type === "ImportDefaultSpecifier") return true;
  if (type === "Property" && node.shorthand) return true;
  if (type === "FunctionExpression" && parent.value === node) {
    return parent.type === "MethodDefinition" || parent.method || /^[gs]et$/.test(parent.kind);
  }
  if (type === "JSXOpeningElement" && node.selfClosing) return true;
  return /^For(In|Of)/.test(parent.type) && parent.left === node && type === "VariableDeclaration";
}

// The tree: {start, children, leaf}.
function abstract(node, parent) {
  const made = { start: node.start, children: [], leaf: LEAVES.includes(node.type) };
  if (node.type === "TemplateLiteral" && !node.expressions.length) made.leaf = true;
  if (made.leaf || node.type === "MetaProperty") return made;
  const add = (child, above, into) => {
    if (LEFT_OUT.includes(child.type)) return;
    if (/Specifier|ExportAll/.test(above.type) && child.name === "default") return;
    if (isPassed(child, above)) {
      for (const inner of childrenOf(child)) {
        const held = child.type === "VariableDeclaration" ? childrenOf(inner) : [inner];
        for (const one of held) add(one, child, into);
      }
      return;
    }
    into.push(abstract(child, above));
  };
  let into = made.children;
  const wrap = (start, levels) => {
    for (let i = 0; i < levels; i++) {
      into.push({ start, children: [], leaf: false });
      into = into[into.length - 1].children;
    }
  };
  // Nodes that the grammar has and ESTree has not.
  if (node.type === "StaticBlock") wrap(node.start, 1);
  for (const child of childrenOf(node)) {
    if (child.type === "ImportAttribute" && into === made.children) wrap(child.start, 2);
    if (node.type === "ExportAllDeclaration" && child === node.exported) wrap(child.start, 1);
    add(child, node, into);
    if (node.type === "ExportAllDeclaration") into = made.children;
  }
  if (node.type === "JSXSpreadAttribute") {
    made.children = [{ start: node.start, children: made.children, leaf: false }];
  }
  return made;
}

function leavesOf(tree) {
  const found = [];
  const walk = (node, above, place) => {
    const here = [...above, { node, place }];
    if (node.leaf) found.push(here);
    node.children.forEach((child, i) => walk(child, here, i));
  };
  walk(tree, [], 0);
  return found;
}

function pathsOf(tree, at) {
  const leaves = leavesOf(tree);
  if (leaves.length > mostLeaves) return null;
  const found = [];
  leaves.forEach((one, i) => {
    for (const other of leaves.slice(i + 1)) {
      let common = 0;
      while (one[common].node === other[common].node) common++;
      const [up, down] = [one.length - common, other.length - common];
      const wide = other[common].place - one[common].place;
      if (up + down > length || wide > width) continue;
      const ends = [one, other].map((path) => at[path[path.length - 1].node.start]);
      found.push([...ends, up, down, wide]);
    }
  });
  return found;
}

each((text) => ({ paths: pathsOf(abstract(parse(text).tree, {}), offsets(text)) }));
