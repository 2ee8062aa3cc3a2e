package tramway.geo;

/**
 * A place on the ground, in degrees.
 *
 * @param lat north of the equator
 * @param lon east of Greenwich
 */
public record Point(double lat, double lon) {
    private static final double EARTH_RADIUS = 6_371_000;

    public Point {
        if (Math.abs(lat) > 90 || Math.abs(lon) > 180) {
            throw new IllegalArgumentException("not on earth: " + lat + ", " + lon);
        }
    }

    /**
     * Measures the way to another place along a great circle.
     *
     * @return metres
     */
    public double distanceTo(Point other) {
        double north = Math.toRadians(other.lat - lat);
        double east = Math.toRadians(other.lon - lon);
        double a = square(Math.sin(north / 2));
        a += Math.cos(Math.toRadians(lat)) * Math.cos(Math.toRadians(other.lat))
                * square(Math.sin(east / 2));
        return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(a));
    }

    private static double square(double x) {
        return x * x;
    }

    /**
     * Names the direction in which another place lies.
     *
     * @return one of eight, such as {@code NE}; {@code null} if both are the same place
     */
    public String directionTo(Point other) {
        if (equals(other)) {
            return null;
        }
        double north = other.lat - lat;
        double east = (other.lon - lon) * Math.cos(Math.toRadians(lat));
        double turn = Math.toDegrees(Math.atan2(east, north));
        int eighth = (int) Math.round(turn / 45);
        String[] names = {"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
        return names[(eighth + 8) % 8];
    }

    /** The place half way, near enough for a city. */
    public Point midway(Point other) {
        return new Point((lat + other.lat) / 2, (lon + other.lon) / 2);
    }

    /**
     * Reads a place as {@code 47.37,8.54}.
     *
     * @throws NumberFormatException if a number is none
     */
    public static Point parse(String text) {
        int comma = text.indexOf(',');
        if (comma < 0) {
            throw new NumberFormatException("no comma in " + text);
        }
        double lat = Double.parseDouble(text.substring(0, comma));
        double lon = Double.parseDouble(text.substring(comma + 1));
        return new Point(lat, lon);
    }
}
