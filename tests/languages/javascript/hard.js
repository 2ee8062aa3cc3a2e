#!/usr/bin/env node
'use strict'
// Constructs that are hard to read token by token: what a slash means, where a template ends,
// which words are keywords, where semicolons are added.
import def, { a as b, default as c, "odd name" as odd } from './m.js' /* two */
import * as ns from "n"
import data from './d.json' with { type: 'json' }
export { b as alias, c as "x y", odd as renewed }
export * as everything from 'e'
export * from 'f'
export { ns as default } from 'g'
const Anonymous = class extends (def ?? Object) {}

const big = 123_456n + 0xFF_FFn, octal = 0o17, binary = 0b1010_0101, tiny = .5e-7, huge = 1e21
const dots = 5..toString() + 5.0.toFixed() + 1.e3.valueOf() + 0.1
const text = 'it\'s' + "\u{1F600}\x41\u0042\
continued" + '\0' + "ünï" + '// no comment' + "/* nor here */"
const ünïcode = 1, \u0061bc = 2, \u{62}cd = 3, $ = 4, _ = 5, 𝒳 = 6
let divided = a / b / c, re = /[/\]]+(?<year>\d{4})\/(?=x)/dgimsuy.test(text) / 2
let after = (1) / 2, regexAfterParen = [/=/g, /[^/]/, /\//u, /(?:)/v]
if (a) /re/.exec(b)
x = a
++b
x = y / 2 / z
do x--; while (x) /q/i.test(x)
var async = 1, of = 2, get = 3, set = 4, from = 5, as = 6, target = 7, meta = 8
for (const of of [of, get, set]) { label: for (;;) { if (of) continue label; else break label } }
for await (const chunk of stream()) void chunk
const object = {
  get, set, async, static: 1, get get() { return this.set }, set set(v) { this.v = v },
  async *gen() { yield* other(); yield; await other() },
  async() {}, get: 1, set: 2, delete: 3, class: 4, 'quoted': 5, 12: 6, [`computed${a}`]: 7,
  new() {}, function: function () { return new.target }, ...rest, await: 1, if: 2, 1n: 3, .5: 4,
}
object.delete.class.if.new?.function?.[0]?.(1)?.catch
object.catch`tag`
object?.5:1
const t = `outer ${`inner ${1 + `${deep}` } ${ { a: `}` }.a }`} \` \${not} ${a}${b} tail
 // not a comment ${/* a comment */ a /* another */ / 2 } \u{41} $ { $5 }`
const empty = `` + `${a}` + `$` + `$$` + `{}` + `\\`
String.raw`raw \d+ \\ \cA`
class Hard extends mix(A, class B {}) {
  #priv = 1; static #count = 0; static { this.#count ||= 1; Hard.#count ??= 2 }
  static async *#secret() {} static static = 1; get = 1; set; async
  get [Symbol.iterator]() { return #priv in this && this.#priv }
  static get accessor() { return super.accessor }
  static get
  newline() {} 'constructor'() {} static async
  async() { return import.meta.url }
  accessor = 1
  x = function () {} / 2
}
var { a: { b: [c1 = 1, , ...d1] = [], ...e1 } = {}, f1 = function () {}, [g]: h = /r/ } = object
;[a, b] = [b, a]
;({ a, b: object.c, d: d1 = 5, ...object.rest } = object)
const arrow = async ({ a, b }, [c2], ...d2) => ({ a, b }), one = x => y => x ** y ** 2, none = () => {}
a &&= b ||= c ??= d; a >>>= b >>= c <<= d; a **= 2; a %= 3; a ^= b |= c &= d
a = b ? c : d ? e : f, a = b ?.5 : 1
a <b> c; a < ! --b; a-- > b; a >>> b >> c << d; a !== b != c === d == e
typeof void delete a.b, !~-+a, (-a) ** 2 in b
switch (a) { case 1: case /two/: { } default: }
try { throw a } catch { debugger } finally { }
try { } catch ({ message, ...more }) { }
return_: { break return_ }
const yielded = function* () { const x = yield /regex/g; yield* [yield, yield a / b] }
const dynamic = await import('./x.js', { with: { type: 'json' } })
new a.b.C; new (a().b)(1); new new X()()
var let_ = function let_() {}, undefinedName = undefined, arguments_ = arguments
const element = <div className="a &amp; b" data-x='y"' {...spread} {...{ a: 1 }} on:click={() => <b/>} disabled>
  text with 'quotes', "more", // no comment, /* none */ and / slashes / &lt; &copy; 100%
  {/* a comment */}
  {cond ? <A.B.C key={`k${1}`} /> : <></>} {a} &nbsp;{b}
  <ns.Component render={<i>x</i>} multi="line
  string \n" />
  &gt;
  <input type="text" value={a > b} />
</div>
const generic = a < b || c > (d), less = a<b, jsxless = <x-y z-w />
