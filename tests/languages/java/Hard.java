// Every construct that is hard to split into tokens. Written for these tests.
package hard;

import java.util.*;
import static java.util.Map.*;

@interface Marked { int[] value() default {1, 2}; String name() default "a\tb\u0041\101\0"; }

sealed interface Shape permits Circle, Square {}

record Circle(double radius) implements Shape {
    Circle { if (radius < 0x1.8p1) throw new IllegalArgumentException("r\\u0041" + '\'' + '"'); }
}

non-sealed class Square implements Shape {
    Map<String, List<Map<String, List<int[]>>>> deep = new HashMap<>();
    List<List<String>>wide=null;
    long a = 0xFFFF_FFFFL, b = 0b1010L, c = 017, d = 1_000_000, e = 0, f = 0L, g = 00;
    float h = 1.5f, i = 2e3F, j = .5f; double k = 1e-9, l = 0x.8P3d, m = 5D, n = 1., o = 0f;
    char p = '\u0041', q = '\\', r = '\n', s = '\177', t = 'ä', u = '\uD800';
    String empty = "", quoted = "say \"hi\"", wide2 = "\uD83D\uDE00 \ud83d\ude00 😀";
    String block = """
        first
          second \
        joined "quoted" ""\" \t\s
            trailing   \n
        """;
    String other = """
      x
       y""";
    String blank = """

        """;
    int shift(int x, int y) { return x >>> y >> 1 << 2 >= 3 ? x >>= 1 : (y >>>= 2) - -x + +y; }
    @Marked(name = "m") <T extends Comparable<? super T> & Runnable> T pick(T... all) {
        outer:
        for (var item : all) { if (item == null) continue outer; else break outer; }
        Runnable run = () -> {}; Comparator<String> byLength = Comparator.comparing(String::length);
        int record = 1, sealed = 2, permits = 3, yield = 4, when = 5, var = 6, module = 7, open = 8;
        return switch (all.length) { case 0, 1 -> null; default -> { yield all[0]; } };
    }
    String match(Object o) {
        return o instanceof String text && text.length() > 1 ? text : switch (o) {
            case Circle(double rad) when rad > 1 -> "big";
            case Integer n when n > 1 || n < -1 -> "n";
            case null, default -> "x";
        };
    }
    int[][] grid[] = new int[3][][]; Class<?> type = int[].class; boolean not = !true ^ false | ~1 != 2;
    int $dollar_$ = 1, __ = 2, ünïcödé = 3;
    strictfp synchronized native void far() throws Exception; /* comment */ // line
    { assert $dollar_$ > 0 : "no"; do { $dollar_$--; } while ($dollar_$ > 0); ; }
}
