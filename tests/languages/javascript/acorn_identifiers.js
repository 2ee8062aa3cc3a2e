// The identifiers of files with the place each has in acorn's tree (ESTree): where it starts and
// ends in bytes, its name, its place.
"use strict";
const { offsets, parse, each } = require("./acorn_files.js");

const FUNCTIONS = ["FunctionExpression", "ArrowFunctionExpression"];
const PATTERNS = ["ObjectPattern", "ArrayPattern", "RestElement", "AssignmentPattern"];
const TAGS = ["JSXOpeningElement", "JSXClosingElement"];

// What stands where a name is used whole, be it x or the x of a.x.
function used(parent, key) {
  if (parent.type === "CallExpression" && key === "callee") return "call";
  if (parent.type === "TaggedTemplateExpression" && key === "tag") return "call";
  if (parent.type === "NewExpression" && key === "callee") return "construction";
  if (/^Class/.test(parent.type) && key === "superClass") return "class";
  if (TAGS.includes(parent.type) && key === "name") return "component";
  return null;
}

// Whether the name gives itself to a function or class beside it.
function named(parent, key) {
  const values = {
    VariableDeclarator: ["id", "init"], AssignmentExpression: ["left", "right"],
    Property: ["key", "value"], PropertyDefinition: ["key", "value"],
  };
  const [own, other] = values[parent.type] || [];
  if (key !== own || !parent[other] || parent.computed) return null;
  if (parent.type === "AssignmentExpression" && parent.operator !== "=") return null;
  if (FUNCTIONS.includes(parent[other].type)) return "function";
  return parent[other].type === "ClassExpression" ? "class" : null;
}

function isParameter(above) {
  for (let i = above.length - 1; i >= 0; i--) {
    const [parent, key] = above[i];
    if (key === "params" || parent.type === "CatchClause" && key === "param") return true;
    const binds =
      parent.type === "Property" && key === "value" && above[i - 1][0].type === "ObjectPattern";
    if (!binds && !(PATTERNS.includes(parent.type) && key !== "right")) return false;
  }
  return false;
}

function place(node, above) {
  const [parent, key] = above[above.length - 1];
  const [grand] = above[above.length - 2] || [{}];
  const type = parent.type;
  if (type === "ChainExpression") throw new Error("a chain around an identifier");
  if (key === "label") return "label";
  if (/^Import/.test(type) && type !== "ImportExpression") {
    if (type === "ImportAttribute") return "key";
    return key === "imported" ? "module name" : "import";
  }
  if (type === "ExportSpecifier") return key === "local" && !grand.source ? "variable" : "module name";
  if (type === "ExportAllDeclaration") return "module name";
  if (type === "JSXAttribute" || type === "JSXNamespacedName") return "jsx name";
  if (type === "JSXMemberExpression" && key === "property") {
    return TAGS.includes(grand.type) ? "component" : "member";
  }
  if (TAGS.includes(type)) return /^[a-z]/.test(node.name) ? "jsx name" : "component";
  const holder = type === "AssignmentPattern" && key === "left" ? grand : parent;
  if (holder.type === "Property" && holder.shorthand) return "shorthand";
  if (key === "id" && /^Function/.test(type)) return "function";
  if (key === "id" && /^Class/.test(type)) return "class";
  if (key === "key" && !parent.computed) {
    if (parent.kind === "get" || parent.kind === "set") return "accessor";
    if (type === "MethodDefinition" || parent.method) return "method";
    return named(parent, key) || "key";
  }
  if (type === "MemberExpression" && key === "property" && !parent.computed) {
    let i = above.length - 2;
    if (above[i][0].type === "ChainExpression") i--;
    const use = used(...above[i]);
    return { call: "method call" }[use] || use || named(...above[i]) || "member";
  }
  if (key === "key" && parent.computed) return "variable";
  return used(parent, key) || named(parent, key) || (isParameter(above) ? "parameter" : "variable");
}

function identifiers(tree, at) {
  const found = [];
  const walk = (node, above) => {
    if (node.type === "MetaProperty") return;
    if (["Identifier", "PrivateIdentifier", "JSXIdentifier"].includes(node.type)) {
      found.push([at[node.start], at[node.end], node.name, place(node, above)]);
    }
    // A name that stands for two things is in the tree twice.
    const twin = node.imported || node.exported;
    const once = node.local && twin && twin.start === node.local.start;
    for (const [key, value] of Object.entries(node)) {
      if (once && (key === "imported" || key === "exported")) continue;
      if (key === "key" && node.shorthand) continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child.type === "string") walk(child, [...above, [node, key]]);
      }
    }
  };
  walk(tree, []);
  return found;
}

each((text) => ({ names: identifiers(parse(text).tree, offsets(text)) }));
