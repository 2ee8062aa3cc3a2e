package tramway.geo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The way a tram takes through the streets. */
public final class Polyline {
    private final Point[] points;

    public Polyline(Point... points) {
        this(Arrays.asList(points));
    }

    public Polyline(List<Point> points) {
        if (points.size() < 2) {
            throw new IllegalArgumentException("a line has two ends");
        }
        this.points = points.toArray(new Point[0]);
    }

    /** How many corners the line has, its ends included. */
    public int size() {
        return points.length;
    }

    public Point start() {
        return points[0];
    }

    public Point end() {
        return points[points.length - 1];
    }

    /** The length of the line in metres. */
    public double length() {
        double sum = 0;
        for (int i = 1; i < points.length; i++) {
            sum += points[i - 1].distanceTo(points[i]);
        }
        return sum;
    }

    /**
     * Finds the corner nearest to a place.
     *
     * @return its number, from zero
     */
    public int nearest(Point place) {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < points.length; i++) {
            double distance = place.distanceTo(points[i]);
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    /**
     * Leaves out the corners that hardly matter (Douglas and Peucker).
     *
     * @param tolerance how far, in metres, the new line may be from a corner it leaves out
     * @return a line with the same ends
     */
    public Polyline simplify(double tolerance) {
        boolean[] keep = new boolean[points.length];
        keep[0] = true;
        keep[points.length - 1] = true;
        mark(0, points.length - 1, tolerance, keep);
        List<Point> kept = new ArrayList<>();
        for (int i = 0; i < points.length; i++) {
            if (keep[i]) {
                kept.add(points[i]);
            }
        }
        return new Polyline(kept);
    }

    /** Marks the corner that is farthest from the chord, and goes on to both sides of it. */
    private void mark(int from, int to, double tolerance, boolean[] keep) {
        int farthest = -1;
        double most = tolerance;
        for (int i = from + 1; i < to; i++) {
            double off = detour(points[from], points[i], points[to]);
            if (off > most) {
                most = off;
                farthest = i;
            }
        }
        if (farthest >= 0) {
            keep[farthest] = true;
            mark(from, farthest, tolerance, keep);
            mark(farthest, to, tolerance, keep);
        }
    }

    /** The height of a triangle over the side between its first and last corner. */
    private static double detour(Point a, Point b, Point c) {
        double base = a.distanceTo(c);
        if (base == 0) {
            return a.distanceTo(b);
        }
        double left = a.distanceTo(b);
        double right = b.distanceTo(c);
        double half = (base + left + right) / 2;
        double area = Math.sqrt(Math.max(0, half * (half - base) * (half - left) * (half - right)));
        return 2 * area / base;
    }

    /** Writes the line as letters, five bits each, differences only. */
    public String encode() {
        StringBuilder out = new StringBuilder();
        long lat = 0;
        long lon = 0;
        for (Point point : points) {
            long nextLat = Math.round(point.lat() * 1e5);
            long nextLon = Math.round(point.lon() * 1e5);
            encode(nextLat - lat, out);
            encode(nextLon - lon, out);
            lat = nextLat;
            lon = nextLon;
        }
        return out.toString();
    }

    /** Writes one difference: the sign goes to the lowest bit, the low bits come first. */
    private static void encode(long difference, StringBuilder out) {
        long bits = difference << 1;
        if (difference < 0) {
            bits = ~bits;
        }
        while (bits >= 0x20) {
            out.append((char) ((bits & 0x1f | 0x20) + 63));
            bits >>= 5;
        }
        out.append((char) (bits + 63));
    }

    /** Reads a line that was {@linkplain #encode() encoded}. */
    public static Polyline decode(String text) {
        List<Point> points = new ArrayList<>();
        long[] sums = new long[2];
        int at = 0;
        while (at < text.length()) {
            for (int axis = 0; axis < 2; axis++) {
                long bits = 0;
                int shift = 0;
                int letter;
                do {
                    letter = text.charAt(at++) - 63;
                    bits |= (long) (letter & 0x1f) << shift;
                    shift += 5;
                } while ((letter & 0x20) != 0);
                boolean negative = (bits & 1) == 1;
                sums[axis] += negative ? ~(bits >> 1) : bits >> 1;
            }
            points.add(new Point(sums[0] / 1e5, sums[1] / 1e5));
        }
        return new Polyline(points);
    }

    /** The same line from its end to its start. */
    public Polyline reversed() {
        List<Point> turned = new ArrayList<>(Arrays.asList(points));
        Collections.reverse(turned);
        return new Polyline(turned);
    }
}
