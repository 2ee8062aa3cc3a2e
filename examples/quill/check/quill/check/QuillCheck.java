package quill.check;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import quill.eval.Builtins;
import quill.eval.EvaluationException;
import quill.eval.Evaluator;
import quill.eval.Memo;
import quill.eval.Scope;
import quill.eval.Session;
import quill.eval.Simplifier;
import quill.module.Manual;
import quill.module.Modules;
import quill.module.Version;
import quill.syntax.Expr;
import quill.syntax.FreeNames;
import quill.syntax.Lexer;
import quill.syntax.Operator;
import quill.syntax.Parser;
import quill.syntax.Parser.Statement;
import quill.syntax.Printer;
import quill.syntax.SyntaxException;
import quill.syntax.Token;
import quill.text.SourceText;
import quill.text.Strings;
import quill.tool.CallStack;
import quill.tool.History;
import quill.tool.Profiler;
import quill.tool.Theme;
import quill.value.Atom;
import quill.value.FunctionValue;
import quill.value.Kind;
import quill.value.ListValue;
import quill.value.NumberValue;
import quill.value.TextValue;
import quill.value.Value;

/** Exercises every method of the language; throws at the first thing that is wrong. */
public final class QuillCheck {
    private static int checks;

    public static void main(String[] args) throws Exception {
        // Upper and lower case must not depend on where the check runs.
        Locale.setDefault(Locale.ROOT);
        texts();
        tokens();
        expressions();
        values();
        evaluation();
        simplification();
        sessions();
        histories();
        themes();
        profiles();
        stacks();
        manuals();
        modules();
        System.out.println("ok: " + checks + " checks");
    }

    private static void texts() {
        same("\"a\\n\\t\\\\\\\"\\u0001\\u007f~ \"", Strings.quote("a\n\t\\\"\u0001\u007f~ "));
        same("a\n\t\\\"\u0001~", Strings.unquote("\"a\\n\\t\\\\\\\"\\u0001~\""));
        same("é", Strings.unquote("\"\\u00e9\""));
        same("\0", Strings.unquote("\"\\u0000\""));
        for (String broken :
                List.of("", "\"", "a\"", "\"a", "\"\\\"", "\"\\u12\"", "\"\\u12g4\"")) {
            same(null, Strings.unquote(broken));
        }
        same("00ff", Strings.hex(255, 4));
        same("34", Strings.hex(0x1234, 2));
        same("ffff", Strings.hex(-1, 4));
        same(0xbeef, Strings.unhex("BeEf"));
        same(-1, Strings.unhex("x"));
        same(0, Strings.distance("", ""));
        same(3, Strings.distance("kitten", "sitting"));
        same(2, Strings.distance("abcd", "bc"));
        same(4, Strings.distance("", "four"));
        same("1, null, b", Strings.commas(Arrays.asList(1, null, "b")));
        same("1, b", Strings.commas(1, "b"));
        same("", Strings.commas());
        same("3", Strings.number(3.0));
        same("-0.25", Strings.number(-0.25));
        same("1.0E15", Strings.number(1e15));
        same("NaN", Strings.number(Double.NaN));
        same("7", Strings.number(7));
        same("ab..", Strings.fill("ab", 4, '.'));
        same("abcde", Strings.fill("abcde", 4, '.'));

        SourceText source = new SourceText("demo", "one\ntwo\n\nfour");
        same("demo", source.name());
        same(13, source.length());
        same('w', source.at(5));
        same('\0', source.at(13));
        same("two", source.slice(4, 7));
        int[] lines = new int[13];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = source.line(i);
        }
        same("[1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4]", Arrays.toString(lines));
        same(1, source.column(4));
        same(4, source.column(12));
        same("demo:4:2", source.where(10));
        same("two\n ^", source.excerpt(5));
        same("four\n   ^", source.excerpt(12));
        same("input:1:1", new SourceText("x").where(0));
        EvaluationException nowhere = new EvaluationException("odd");
        same("evaluation error at input:1:1: odd\nx\n^", nowhere.explain(new SourceText("x")));
        same(-1, nowhere.offset());
    }

    private static void tokens() {
        same("[let, x, =, 1.5e-3, ;, y2_, =>, >=, \"a\\\"b\", 0b101, ]",
                spelled("let x = 1.5e-3; y2_ # a comment\n=> >=\t\"a\\\"b\"\r0b101"));
        same("[a, ==, b, !=, c, <=, d, <, e, =, [, ], ]", spelled("a==b!=c<=d<e=[]"));
        same("[1, -, 2, *, 3e2, /, 4.5E6, ]", spelled("1-2*3e2/4.5E6"));
        Token token = Lexer.tokens("  let").get(0);
        same(Token.Kind.LET, token.kind());
        same(2, token.start());
        same(5, token.end());
        same("'let'", token.toString());
        same("the end", Lexer.tokens("").get(0).toString());
        same(true, token.is(Token.Kind.LET) && !token.is(Token.Kind.NAME));
        same(false, token.is("let"));
        same(true, Lexer.tokens("<=").get(0).is("<="));
        same(false, Lexer.tokens("<=").get(0).is("<"));
        fails(IllegalArgumentException.class, () -> new Token(Token.Kind.NAME, "x", -1));
        same("a number", Token.Kind.NUMBER.label());
        same("'=>'", Token.Kind.ARROW.label());
        same(null, Token.Kind.ofSpelling("lets"));
        int beginnings = 0;
        for (Token.Kind kind : Token.Kind.values()) {
            beginnings += kind.beginsExpression() ? 1 : 0;
        }
        same(11, beginnings);
        same("[literal, name, keyword, keyword, literal, sign, sign, sign]",
                Lexer.tokens("1 a let not true + )").stream()
                        .map(each -> each.kind().group()).toList().toString());
        for (String wrong :
                List.of("!", "$ @", "\"abc", "\"a\nb\"", "1e", "1e-", "1.x", "\"\\\"")) {
            fails(SyntaxException.class, () -> Lexer.tokens(wrong));
        }
        Lexer lexer = new Lexer(new SourceText("x"));
        same("x", lexer.next().text());
        same(true, lexer.hasNext());
        lexer.next();
        same(false, lexer.hasNext());
        fails(NoSuchElementException.class, lexer::next);
    }

    private static void expressions() {
        for (String text :
                List.of(
                        "1 + 2 * 3 - 4",
                        "(1 + 2) * 3",
                        "1 - (2 - 3)",
                        "2 ^ 3 ^ 2",
                        "(2 ^ 3) ^ 2",
                        "a & b | c & not d",
                        "-(a + b)",
                        "-(-a)",
                        "(-f)(x)",
                        "not a",
                        "-a ^ 2",
                        "if a < b then [a, \"x\\n\"] else f(a, nothing)",
                        "1 + (if a then 1 else 2)",
                        "fn(a, b) => a % b",
                        "(fn() => 1)()",
                        "[true, false, [], 0.5]",
                        "f(1)(2)",
                        "a == b != c",
                        "a <= b & b >= a & a > b")) {
            same(text, print(text));
        }
        same("at(at(f(), 1), -2)", print("f()[1][-2]"));
        same("[1, 2]", print("[1, 2,]"));
        same("5", print("0b101"));
        same("0", print("0b"));
        same("1 - 2 - 3", print("(1 - 2) - 3"));

        explains("syntax error at input:1:3: no expression begins with ')'\n1+)\n  ^", "1+)");
        explains("syntax error at input:1:3: expected the end, found '2'\n1 2\n  ^", "1 2");
        explains("syntax error at input:1:7: a second parameter 'a'\nfn(a, a) => 1\n      ^",
                "fn(a, a) => 1");
        explains("syntax error at input:1:5: expected a name, found '='\nlet =\n    ^", "let =");
        explains("syntax error at input:1:12: expected 'else', found the end\nif a then b\n"
                + " ".repeat(11) + "^", "if a then b");
        explains("syntax error at input:1:5: expected ')', found '2'\nf(1 2)\n    ^", "f(1 2)");
        fails(SyntaxException.class, () -> Parser.expression("1 2"));
        explains("syntax error at input:1:1: a broken escape in \"\\u1\"\n\"\\u1\"\n^", "\"\\u1\"");
        explains("syntax error at input:1:1: a lonely '!'; say 'not'\n!a\n^", "!a");
        explains("syntax error at input:1:3: expected ')', found ';'\nf(;)\n  ^", "f(;)");

        List<Statement> program = parse("let a = 1; let f(x, y) = x; a;");
        same(3, program.size());
        same("[true, true, false]", program.stream().map(Statement::defines).toList().toString());
        same("[false, true, false]",
                program.stream().map(Statement::definesFunction).toList().toString());
        same('f', program.get(1).initial());
        same("fn(x, y) => x", new Printer().walk(program.get(1).expr()));
        same(15, program.get(1).expr().offset());
        same(0, parse(" # nothing\n").size());

        Set<String> free = FreeNames.of(Parser.expression(
                "fn(a) => [a, b, -c] + (if d then g else f(fn(e) => e + a, \"\", e))"));
        same("[b, c, d, e, f, g]", free.toString());

        Expr.Binary sum = (Expr.Binary) Parser.expression(" 1 + x");
        same(true, sum.with(sum.left(), sum.right()) == sum);
        same(null, sum.mirrored());
        same("x + 1", new Printer().walk(sum.with(sum.right(), sum.left())));
        same("x + x", new Printer().walk(sum.with(sum.right(), sum.right())));
        same(1, sum.offset());
        same(3, Parser.expression("   f(x)").offset());
        Expr.Constant one = (Expr.Constant) sum.left();
        same(true, one.is(1) && !one.is(2) && one.isNumber());
        same(false, new Expr.Constant(0, "1").is(1) || new Expr.Constant(0, "1").isNumber());
        Expr.Name name = new Expr.Name(0, "f");
        same("f(1, x)", new Printer().walk(new Expr.Call(name, one, sum.right())));
        List<Expr> items = new ArrayList<>(List.of(one));
        List<String> names = new ArrayList<>(List.of("a"));
        Expr.ListOf list = new Expr.ListOf(0, items);
        Expr.Call call = new Expr.Call(name, items);
        Expr.Function function = new Expr.Function(0, names, name);
        items.clear();
        names.clear();
        same("[[1], f(1), fn(a) => f]",
                new Printer().walkAll(List.of(list, call, function)).toString());

        same(true, Operator.POWER.bindsToTheRight() && !Operator.ADD.bindsToTheRight());
        same("%", Operator.REMAINDER.sign());
        same(4, Operator.LESS.precedence());
        StringBuilder numeric = new StringBuilder();
        StringBuilder mirrored = new StringBuilder();
        StringBuilder comparing = new StringBuilder();
        for (Operator operator : Operator.values()) {
            numeric.append(operator.givesNumber() ? operator.sign() : "");
            mirrored.append(operator.mirrored() == null ? "." : operator.mirrored().sign());
            comparing.append(operator.isComparison() ? operator.sign() : "");
        }
        same("-/%^", numeric.toString());
        same("..==!=>>=<<=......", mirrored.toString());
        same("==!=<<=>>=", comparing.toString());
        same(1024.0, Operator.POWER.apply(2, 10));
        same(1.0, Operator.POWER.apply(7, 0));
        same(0.25, Operator.POWER.apply(2, -2));
        same(3.0, Operator.POWER.apply(9, 0.5));
        same(-3.5, Operator.SUBTRACT.apply(-1, 2.5));
        fails(UnsupportedOperationException.class, () -> Operator.AND.apply(1, 1));
        same(null, Operator.of(Lexer.tokens("=").get(0)));
        same(Operator.AT_LEAST, Operator.of(Lexer.tokens(">=").get(0)));
        same(null, Operator.of(new Token(Token.Kind.OPERATOR, "~", 0)));
    }

    private static void values() {
        same(0b1100, Kind.mask(Kind.NUMBER, Kind.TEXT));
        same("number or text", Kind.describe(0b1100));
        same("anything", Kind.describe(Kind.ANY));
        same(0b110011, Kind.except(0b1100));
        same(true, Kind.TEXT.in(0b1100) && !Kind.LIST.in(0b1100));
        same(4, Kind.NUMBER.bit());

        Value two = Value.of(2);
        same(new NumberValue(2.0), two);
        same(two.hashCode(), Value.of((Object) 2L).hashCode());
        same(Value.of(0.0).hashCode(), Value.of(-0.0).hashCode());
        same(true, Value.of(0.0).equals(Value.of(-0.0)));
        same(false, two.equals(Value.of("2")));
        same(false, Value.of(1.5).hashCode() == Value.of(2.5).hashCode());
        same("\"2\"", Value.of((Object) "2").show());
        same("2", Value.of((Object) '2').toString());
        same("true", Value.of(Boolean.TRUE).show());
        same("false", Value.of((Object) false).toString());
        same(Atom.NOTHING, Value.of((Object) null));
        same(two, Value.of((Object) two));
        fails(IllegalArgumentException.class, () -> Value.of(new Object()));
        Value list = Value.of(two, Value.of("x"));
        same("[2, \"x\"]", list.show());
        same("[2, \"x\"]", list.toString());

        Value[] truths = {two, Value.of("x"), list, Atom.TRUE};
        Value[] lies = {
            Value.of(0), Value.of(Double.NaN), Value.of(""), new ListValue(), Atom.FALSE,
            Atom.NOTHING
        };
        for (Value value : truths) {
            same(true, value.isTrue());
        }
        for (Value value : lies) {
            same(false, value.isTrue());
        }
        ListValue mixed =
                new ListValue(
                        list, Value.of("b"), Value.of("a"), two, Atom.TRUE, Value.of(-1),
                        Atom.NOTHING, new ListValue(two), Atom.FALSE, two);
        same("[nothing, false, true, -1, 2, 2, \"a\", \"b\", [2], [2, \"x\"]]",
                mixed.sorted().show());
        same("[1, 2, 3]", new ListValue(Value.of(3), two, Value.of(1)).sorted().show());
        same(0, Atom.NOTHING.compareTo(Atom.NOTHING));
        same(two, Value.of(two));
        same(true, new ListValue(two).compareTo(new ListValue(Value.of(3))) < 0);
        same("[2, 2]", new ListValue(two).concat(new ListValue(two)).show());
        same("[true, 2, 1]", new ListValue(Value.of(1), two, Atom.TRUE).reversed().show());
        same("[4, 3, 2, 1]", run("reverse(range(1, 4))"));
        ListValue pair = new ListValue(List.of(two, Atom.TRUE));
        same(2, pair.size());
        same(Atom.TRUE, pair.get(1));
        same(two, pair.get(-2));
        same(null, pair.get(2));
        same(null, pair.get(-3));
        same("true", pair.showLast());
        same(true, pair.equals(pair) && pair.equals(new ListValue(two, Atom.TRUE)));
        same(pair.hashCode(), new ListValue(two, Atom.TRUE).hashCode());
        same(false, pair.equals(pair.reversed()));
        same(true, pair.hashCode() != pair.reversed().hashCode());
        same(false, pair.equals(two));
        Iterator<Value> items = pair.iterator();
        same(two, items.next());
        TextValue text = new TextValue("x");
        same(true, text.equals(Value.of("x")) && !text.equals(Value.of("y")));
        same(Value.of("x").hashCode(), text.hashCode());
        same(true, text.compareTo(Value.of("y")) < 0);
        same(2.0, ((NumberValue) two).number());
        same(Kind.TEXT, text.kind());
    }

    private static void evaluation() {
        same("14", run("2 + 3 * 4"));
        same("-9", run("-3 ^ 2 * -1 * 1"));
        same("true", run("not (1 > 2) & 1 <= 1 & 2 >= 2 & 1 != 2 & 1 == 1"));
        same("false", run("1 < 1"));
        same("1.5", run("7.5 % 3"));
        same("2.5", run("let five = 5; five / 2"));
        same("\"ab1\"", run("\"a\" + \"b\" + 1"));
        same("\"1a\"", run("1 + \"a\""));
        same("\"ababab\"", run("\"ab\" * 3"));
        same("[1, 2, 3, 4]", run("[1] + [2, 3, 4]"));
        same("\"\"", run("\"ab\" * 0"));
        same("false", run("1 > 1"));
        same("true", run("\"a\" < \"b\" & [1] <= [1, 0] & \"a\" != 1"));
        same("false", run("\"a\" == \"b\""));
        same("0", run("0 & missing"));
        same("3", run("nothing | 3"));
        same("3", run("3 | missing"));
        same("\"big\"", run("if 3 > 2 then \"big\" else missing"));
        same("6", run("(fn(a, b) => a * b)(2, 3)"));
        same("5", run("let add(a) = fn(b) => a + b; add(2)(3)"));
        same("120", run("let f(n) = if n < 2 then 1 else n * f(n - 1); f(5)"));
        same("fn (a b)", run("fn(a, b) => 1"));
        same("fn sqrt", run("sqrt"));
        same("nothing", run(""));
        same("[3, 2.5, -2, 4]", run("[sqrt(9), abs(-2.5), round(-2.4), round(3.6)]"));
        same("[3, \"b\", 1, 2]", run("[max(3, 2), max(\"a\", \"b\"), min(1, 2), min(2, 2)]"));
        same("[6, 5, 4, 7]", run("[gcd(12, 18), gcd(0, 5), gcd(-4, 8), gcd(7, 0)]"));
        same("[0, 2, 64]", run("[bits(0), bits(5), bits(-1)]"));
        same("[true, false, true, false, true]",
                run("map([0, 1, 64, -65, 128], isEven)"));
        same("[\"nothing\", \"function\"]", run("[kind(nothing), kind(kind)]"));
        same("[3, 2, 1, 0]", run("range(3, 0)"));
        same("[2]", run("range(2, 2)"));
        same("[2, 4]", run("keep(range(1, 5), isEven)"));
        same("[1, 4, 9]", run("map([1, 2, 3], fn(x) => x ^ 2)"));
        same("\"-abc\"", run("fold([\"a\", \"b\", \"c\"], \"-\", fn(all, x) => all + x)"));
        same("3", run("size([1, 2, 3])"));
        same("[1, 2]", run("sort([2, 1])"));
        same("[1, 3, nothing]", run("let a = [1, 2, 3]; [a[0], a[-1], a[9]]"));

        explains("evaluation error at input:1:5: no sqr here; did you mean sqrt?\n1 + sqr\n    ^",
                "1 + sqr");
        explains("evaluation error at input:1:1: no xyzzyx here\nxyzzyx\n^", "xyzzyx");
        explains("evaluation error at input:1:1: no 1 - \"a\"\n1 - \"a\"\n^", "1 - \"a\"");
        explains("evaluation error at input:1:1: no \"a\" * -1\n\"a\" * -1\n^", "\"a\" * -1");
        explains("evaluation error at input:1:2: cannot negate \"a\"\n -\"a\"\n ^", " -\"a\"");
        explains("evaluation error at input:1:2: 3 is no function\n 3(1)\n ^", " 3(1)");
        explains("evaluation error at input:1:2: sqrt takes 1, not 0\n sqrt()\n ^", " sqrt()");
        explains("evaluation error at input:1:2: sqrt wants number, not TEXT\n sqrt(\"\")\n ^",
                " sqrt(\"\")");
        explains("evaluation error at input:1:2: 0.5 is not whole\n bits(0.5)\n ^", " bits(0.5)");
        explains("evaluation error at input:1:3: (a) takes 1, not 2\n (fn(a) => a)(1, 2)\n  ^",
                " (fn(a) => a)(1, 2)");
        String deep = "let f(n) = if n < 1 then 0 else f(n - 1); f(200)";
        explains("evaluation error at input:1:33: too many calls within calls\n"
                + deep + "\n" + " ".repeat(32) + "^", deep);
        same("0", run("let f(n) = if n < 1 then 0 else f(n - 1); f(199); f(199)"));

        Scope outer = new Scope();
        Scope inner = new Scope(outer);
        outer.define("width", Value.of(1));
        inner.define("height", Value.of(2));
        same(0, outer.depth());
        same(1, inner.depth());
        same(2, new Scope(inner).depth());
        same(Value.of(1), inner.lookup("width"));
        same(null, outer.lookup("height"));
        same("width = 1", inner.show("width"));
        same("height", inner.suggest("heihgt"));
        same("width", inner.suggest("widht"));
        same(null, inner.suggest("x"));
        same("width", inner.suggest("widxx"));
        same(null, inner.suggest("wixxx"));
        inner.define("heights", Value.of(3));
        same("height", inner.suggest("heigh"));
        same("heights", inner.suggest("heightss"));
        same(Value.of(3), new Evaluator(inner).walk(Parser.expression("width + height")));
        FunctionValue sqrt = (FunctionValue) Builtins.scope().lookup("sqrt");
        FunctionValue abs = (FunctionValue) Builtins.scope().lookup("abs");
        same("sqrt", sqrt.name());
        same(Value.of(4), sqrt.call(Value.of(16)));
        same(true, sqrt.isTrue() && sqrt.compareTo(abs) < 0 && sqrt.compareTo(sqrt) == 0);
        EvaluationException placed = new EvaluationException(7, "odd");
        same(7, placed.offset());
    }

    private static void simplification() {
        simplifies("7", "1 + 2 * 3", 2);
        simplifies("-2", "-(2)", 1);
        simplifies("-(-a)", "-(-a)", 0);
        simplifies("a / b", "-(-(a / b))", 1);
        simplifies("-(-(not a))", "-(-(not a))", 0);
        simplifies("not (not a)", "not not a", 0);
        simplifies("-(not a)", "-(not a)", 0);
        simplifies("false", "not true", 1);
        simplifies("-true", "-true", 0);
        simplifies("not 1", "not 1", 0);
        simplifies("true", "1 < 2", 1);
        simplifies("1 & 2", "1 & 2", 0);
        simplifies("a * b * 1", "a * b * 1", 0);
        simplifies("a % b", "(a % b) * 1", 1);
        simplifies("1 * (a % b)", "1 * (a % b)", 0);
        simplifies("a - b", "a - b - 0", 1);
        simplifies("0 + (a + b)", "0 + (a + b)", 0);
        simplifies("a - b + 0", "a - b + 0", 0);
        simplifies("not a * 1", "not a * 1", 0);
        simplifies("-a", "-a ^ 1", 1);
        simplifies("-a", "-a / (3 - 2)", 2);
        simplifies("a / b / 2", "a / b / 2", 0);
        simplifies("a * 1", "a * 1", 0);
        simplifies("b", "if 1 > 2 then a else b", 2);
        simplifies("a", "if true then a else b", 1);
        simplifies("if a then 3 else [4]", "if a then 1 + 2 else [2 + 2]", 2);
        simplifies("f(3, fn(x) => 4)", "f(1 + 2, fn(x) => 2 * 2)", 2);
        simplifies("\"a\" + \"b\"", "\"a\" + \"b\"", 0);
        simplifies("a == 1", "1 == a", 1);
        simplifies("a > \"x\"", "\"x\" < a", 1);
        simplifies("1 - a", "1 - a", 0);
        simplifies("a < b", "a < b", 0);
        simplifies("false", "1 == 2", 1);
    }

    private static void sessions() throws IOException {
        Session session = new Session();
        same(
                List.of("3", "fn g", "7", "a, g", "forgotten"),
                session.converse(
                        "let a = 3\nlet g(x) = x + a\n\ng(4)\n:names\n:forget\n:names\nnothing"));
        same(true, session.answer(":help").startsWith(":help     shows this\n:names"));
        same(null, session.answer("  "));
        same(9, session.answerWidth("[1, 2, 3]"));
        same("evaluation error at input:1:1: no g here\ng\n^", session.answer("g"));
        session.setSimplifying(true);
        same("7", session.answer("1 + 2 * 3"));
        same("7", session.run("let a = 1 + 2 * 3; a").show());
        same(null, session.findCircle());
        session.run("let odd(n) = n != 0 & even(n - 1); let even(n) = n == 0 | odd(n - 1)");
        same("true", session.run("even(10)").show());
        same("even", session.findCircle());
        Session other = new Session();
        other.run("let b(n) = b(n); let a(n) = b(n)");
        same("b", other.findCircle());
        String never = "let c() = if false then c() else 1";
        for (boolean simplifying : new boolean[] {false, true}) {
            Session fresh = new Session();
            fresh.setSimplifying(simplifying);
            fresh.run(never);
            same(simplifying ? null : "c", fresh.findCircle());
        }
        Reader torn =
                new Reader() {
                    @Override
                    public int read(char[] buffer, int from, int count) throws IOException {
                        throw new IOException("torn");
                    }

                    @Override
                    public void close() {}
                };
        fails(IllegalStateException.class, () -> {
            try {
                session.converse(torn);
            } catch (IOException expected) {
                throw new IllegalStateException(expected);
            }
        });
        same(List.of("2"), session.converse(new StringReader("1 + 1")));

        Memo<String, Integer> memo = new Memo<>(2);
        List<String> asked = new ArrayList<>();
        for (String word : List.of("a", "bb", "a", "ccc", "a", "bb", "bb", "ccc")) {
            int length = memo.get(word, key -> {
                asked.add(key);
                return key.length();
            });
            same(word.length(), length);
        }
        same("[a, bb, ccc, bb, ccc]", asked.toString());
        same(2, memo.size());
        same("bb", memo.eldest());
        Memo<Integer, Integer> roots = new Memo<>(3);
        StringBuilder eldest = new StringBuilder();
        for (int number : new int[] {1, 2, 3, 2, 4, 3, 5, 4, 6, 6, 7}) {
            roots.get(number, key -> key * key);
            eldest.append(roots.eldest());
        }
        same("11113243554", eldest.toString());
    }

    private static void histories() {
        History history = new History(30);
        same(null, history.latest());
        same(true, history.add("let x = 1"));
        same(false, history.add("let x = 1"));
        same(false, history.add("  "));
        same(true, history.add("x + 20"));
        same(2, history.size());
        same("x + 20", history.latest());
        same("let x = 1", history.find("let"));
        same(null, history.find("if"));
        same("let x = 1", history.complete("le"));
        same("if", history.complete("if"));
        same("let x = 1", history.expand("!let "));
        same("1 + 2", history.expand("1 + 2"));
        same("x + ", history.again());
        same(9, history.widthOf("x"));
        same("let x = 1", history.heading(10));
        same("let…", history.heading(4));
        same(List.of("x + 20", "let x = 1"), history.like("x + 2", 5));
        same(List.of("let x = 1"), history.like("let x", 1));
        same(false, history.undo("let x = 1"));
        same(true, history.undo("x + 20"));
        history.add("\"a longer line\" + x");
        same(2, history.size());
        history.add("y");
        history.add("xx");
        same("", history.again());
        same(3, history.size());
        same("\"a lo…", history.heading(6));
    }

    private static void themes() throws IOException {
        Theme theme = new Theme().with("keyword", "Blue").with("literal", "#e08000");
        theme.read(new StringReader("name = green*\nnonsense\n page=white\n\nsign = blue"));
        same(null, theme.setting("sign"));
        same("white", theme.setting("page"));
        same(0x2040c0, theme.colour("keyword").code());
        same("#e08000", theme.colour("literal").name());
        same("black", theme.colour("name").name());
        same("black", theme.colour("sign").name());
        same(true, theme.isLoud("name"));
        same(false, theme.isLoud("page"));
        same(null, Theme.parse("#12345g"));
        same(null, Theme.parse("12345678"));
        same(null, Theme.parse("1234567"));
        same("#00ff10", new Theme.Colour("odd", 0xff10).hex());
        same(255, theme.pageBrightness());
        same(255, new Theme().pageBrightness());
        same(255, theme.contrast("black"));
        same(102, theme.contrast("#ff8000"));
        same(8, theme.with("tabulator", " 8 ").tabulator());
        same(4, theme.with("tabulator", "").tabulator());
        same("blue", theme.colourOf("let").name());
        same("black", theme.colourOf("lets").name());
        same("black", theme.colourOf("(").name());
        same("keyword", Theme.groupOf("if"));
        same("sign", Theme.groupOf("["));
        same("<#2040c0>letx=<#e08000>1", theme.mark("let x = 1"));
    }

    private static void profiles() {
        Profiler profiler = new Profiler();
        same(null, profiler.current());
        same("idle", profiler.status(0));
        same(null, profiler.slowest());
        same(null, profiler.entry("f"));
        profiler.enter("main", 0);
        profiler.enter("f", 10);
        same("f", profiler.current());
        same(5L, profiler.elapsed(15));
        same("f........... 7", profiler.status(17));
        profiler.leave(20);
        profiler.enter("f", 30);
        profiler.leave(60);
        profiler.leave(100);
        same(2, profiler.calls("f"));
        same(0, profiler.calls("g"));
        same(28, profiler.share("f"));
        List<Profiler.Entry> entries = profiler.byCalls();
        same("[f, main]", entries.stream().map(Profiler.Entry::name).toList().toString());
        same(40L, entries.get(0).time());
        same(20.0, entries.get(0).mean());
        same(true, profiler.isSlower("main", entries.get(0)));
        same(false, profiler.isSlower("f", entries.get(1)));
        same("look at main, 1 calls", profiler.advice());
        profiler.mark(10, "reading");
        profiler.mark(50, "running");
        same("reading", profiler.partAt(49));
        same("running", profiler.partAt(50));
        same(40L, profiler.lengthOfPart(10));
        same(0L, profiler.lengthOfPart(9));
    }

    private static void stacks() {
        CallStack stack = new CallStack(new SourceText("demo", "one\ntwo\n\nfour"));
        same(true, stack.isEmpty());
        CallStack.Frame main = stack.push("main", 0);
        CallStack.Frame inner = stack.push("f", 5).with("x", Value.of(1)).with("no", Atom.FALSE);
        same(null, main.caller());
        same(main, inner.caller());
        same("x = 1", inner.show("x"));
        same(true, inner.holds("x"));
        same(false, inner.holds("no") || inner.holds("y"));
        same(inner, stack.find("f"));
        same(null, stack.find("g"));
        same(true, stack.isRunning("main") && !stack.isRunning("g"));
        same(2, stack.lineOf("f"));
        same("main", stack.callerOf("f"));
        same("nobody", stack.callerOf("g"));
        same("demo:2:2", stack.where("f"));
        same(1, stack.depthOf("f"));
        same(0, stack.depthOf("main"));
        same("[f at demo:2:2, main at demo:1:1]", stack.trace().toString());
        stack.stopAt(4);
        stack.stopAt(2);
        same(4, stack.nextStop(5));
        same(null, stack.nextStop(10));
        same(1, stack.linesLeft(0));
        same(2, stack.linesLeft(4));
        same(2, stack.clear(3));
        same(4, stack.nextStop(0));
        same(inner, stack.pop());
        same(false, stack.isRunning("f"));
    }

    private static void manuals() {
        Manual manual = new Manual()
                .add("map", "lists", "Calls a function with each item. Example: map([1], abs)")
                .add("keep", "lists", "Keeps items. See map.")
                .add("abs", "numbers", "Without the sign");
        same(3, manual.size());
        same(null, manual.page("fold"));
        same("nothing about fold", manual.help("fold"));
        same("keep (lists)\nKeeps items. See map.", manual.help("keep"));
        same("keep      Keeps items.", manual.line("keep"));
        same("abs       Without the sign", manual.line("abs"));
        Manual.Page page = new Manual.Page("sum", "lists", "See fold. Example: a\nb");
        same("a\nb", page.example());
        same(2, manual.exampleLines(page));
        same("fold", page.seeAlso());
        same("-> FOLD", Manual.link(page));
        same(null, new Manual.Page("a", "b", "See you").seeAlso());
        same(List.of("map([1], abs)"), manual.examples());
        same(manual.help("map"), manual.follow("keep"));
        same("Without the sign", manual.follow("abs"));
        same(true, manual.isBeside(page, "map"));
        same(false, manual.isBeside(page, "abs") || manual.isBeside(page, "fold"));
        same("keep: Keeps items.", manual.next("abs"));
        same("A-M", manual.span());
        same(manual.page("keep"), manual.before("m"));
        same(2, manual.section("lists").size());
        same("keep", manual.shortest("lists"));
    }

    private static void modules() {
        same(new Version(2, 11), Version.parse("2.11"));
        for (String wrong : List.of("", "2", ".1", "2.", "a.b")) {
            same(null, Version.parse(wrong));
        }
        Version version = new Version(2, 1);
        same("2.1", version.toString());
        same(Version.FIRST, Version.parseOrFirst(null));
        same(Version.FIRST, Version.parseOrFirst("new"));
        same(version, Version.parseOrFirst("2.1"));
        same(true, version.serves("2.0") && version.serves("2.1"));
        same(false, version.serves("2.2") || version.serves("1.1"));
        same(new Version(3, 0), version.newer("3.0"));
        same(version, version.newer("2.0"));

        Modules modules = new Modules();
        Modules.Module lists = modules.load("lists",
                "#version 1.2\n#author Ada M. Quill\n#licence MIT\n#\nlet sum(l) = fold(l, 0, plus);"
                        + " let two = 2; sum([1])");
        Modules.Module odd = modules.load("odd", "#about What nobody can read at all\nlet = 1");
        same("[syntax error at odd:2:5: expected a name, found '=']",
                modules.problems().stream().map(p -> p.lines().findFirst().get()).toList()
                        .toString());
        same("lists", lists.name());
        same("1.2", lists.version().toString());
        same(Version.FIRST, odd.version());
        same("Quill", lists.author());
        same(null, lists.about("about"));
        same(List.of("fold", "plus"), lists.uses("sum"));
        same(true, lists.offsetOf("sum") > 40);
        same(-1, lists.offsetOf("product"));
        same(1, lists.arity("sum"));
        same(0, lists.arity("two") + lists.arity("product"));
        same(null, lists.definition("product"));
        same(2, modules.offsetOfSetting("  tab"));
        same(null, modules.module("sets"));
        same(lists, modules.homeOf("two"));
        same(null, modules.homeOf("three"));
        same(true, modules.knows("sum") && !modules.knows("three"));
        same("lists.sum", modules.qualified("sum"));
        same("1.0", modules.versionOf("odd"));
        same(true, modules.has("lists", new Version(1, 1)));
        same(false, modules.has("lists", version) || modules.has("sets", version));
        same(lists.definition("two"), modules.resolve("lists.two"));
        fails(NullPointerException.class, () -> modules.resolve("lists.three"));
        same("mit", modules.licenceFor("two"));
        same("none", modules.licenceFor("three"));
        same("What…", Modules.blurb(odd, 5));
        same("What nobody can read at all", Modules.blurb(odd, 30));
        same(32, Modules.blurbWidth(odd));
    }

    private static String spelled(String text) {
        return Lexer.tokens(text).stream().map(Token::text).toList().toString();
    }

    private static String print(String text) {
        return new Printer().walk(Parser.expression(text));
    }

    private static List<Statement> parse(String text) {
        return new Parser(new SourceText(text)).program();
    }

    private static void explains(String expected, String program) {
        same(expected, new Session().answer(program));
    }

    private static void simplifies(String expected, String text, int steps) {
        Simplifier simplifier = new Simplifier();
        same(expected, new Printer().walk(simplifier.walk(Parser.expression(text))));
        same(steps, simplifier.steps());
    }

    private static String run(String program) {
        String plain = new Session().run(program).show();
        Session simplifying = new Session();
        simplifying.setSimplifying(true);
        same(plain, simplifying.run(program).show());
        return plain;
    }

    private static void same(Object expected, Object actual) {
        checks++;
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(
                    "check " + checks + ": expected " + expected + ", got " + actual);
        }
    }

    private static void fails(Class<? extends Exception> expected, Runnable action) {
        checks++;
        try {
            action.run();
        } catch (RuntimeException thrown) {
            if (expected.isInstance(thrown)) {
                return;
            }
            throw new AssertionError("check " + checks + ": expected " + expected, thrown);
        }
        throw new AssertionError("check " + checks + ": expected " + expected + ", nothing thrown");
    }
}
