package tramway.timetable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Which timetable holds on which day of the year; days are counted from 1. */
public class Calendar {
    /**
     * A part of the year with a timetable of its own.
     *
     * @param name such as {@code summer}
     * @param days on which days of the week trams run
     */
    public record Season(String name, DayMask days) {}

    private final TreeMap<Integer, Season> seasons = new TreeMap<>();
    private final Map<Integer, String> holidays = new HashMap<>();

    /** Begins a season on a day; it lasts until another one begins. */
    public void begin(int day, Season season) {
        seasons.put(day, season);
    }

    /** Makes a day a holiday. */
    public void holiday(int day, String name) {
        holidays.put(day, name);
    }

    /** The season of a day; {@code null} before the first one begins. */
    public Season season(int day) {
        Map.Entry<Integer, Season> entry = seasons.floorEntry(day);
        return entry == null ? null : entry.getValue();
    }

    /** The heading of the timetable that holds on a day. */
    public String heading(int day) {
        Season season = season(day);
        return season.name() + ", " + season.days().describe();
    }

    /** Tells whether trams run on a day, given its day of the week. */
    public boolean runs(int day, int weekday) {
        Season season = season(day);
        return season != null && season.days().has(weekday);
    }

    /** On how many days of the week trams run at that time of the year. */
    public int daysOfService(int day) {
        return season(day).days().count();
    }

    /** How many days are left until the next season. */
    public int daysLeft(int day) {
        int next = seasons.higherKey(day);
        return next - day;
    }

    /** The name of a holiday; {@code null} on an ordinary day. */
    public String holidayOn(int day) {
        return holidays.get(day);
    }

    /** What the board wishes on a holiday. */
    public String wish(int day) {
        return "Happy " + holidayOn(day).strip() + "!";
    }

    /** The timetable of a holiday is that of a Sunday. */
    public int weekdayFor(int day, int weekday) {
        return holidayOn(day) == null ? weekday : 6;
    }

    /** The length of the season in which a day lies; the last one is open. */
    public int length(int day) {
        Integer from = seasons.floorKey(day);
        Integer to = seasons.higherKey(day);
        if (to == null) {
            return -1;
        }
        return to - from;
    }

    /** The name of the last season of the year. */
    public String lastSeason() {
        Map.Entry<Integer, Season> last = seasons.lastEntry();
        Season season = last.getValue();
        return season.name();
    }

    /**
     * Reads seasons: on the first line how many, then a day, a name and a mask on each line.
     *
     * @throws IOException if the lines cannot be read
     */
    public void read(Reader source) throws IOException {
        BufferedReader lines = new BufferedReader(source);
        int count = Integer.parseInt(lines.readLine());
        for (int i = 0; i < count; i++) {
            String line = lines.readLine();
            if (line == null) {
                return;
            }
            String[] words = line.split(" +");
            begin(Integer.parseInt(words[0]), new Season(words[1], DayMask.parse(words[2])));
        }
    }

    /** The first season that runs on a day of the week. */
    public String firstWith(int weekday) {
        Season found = null;
        for (Season season : seasons.values()) {
            if (season.days().has(weekday)) {
                found = season;
                break;
            }
        }
        return found.name();
    }
}
