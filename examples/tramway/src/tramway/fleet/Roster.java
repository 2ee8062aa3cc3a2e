package tramway.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tramway.timetable.ClockTime;

/** Who drives when. */
public class Roster {
    /**
     * A driver.
     *
     * @param phone the number to call, or {@code null}
     */
    public record Driver(String name, String phone) {
        /** The last four digits, by which colleagues know each other; {@code null} without phone. */
        public String extension() {
            if (phone == null || phone.length() < 4) {
                return null;
            }
            return phone.substring(phone.length() - 4);
        }
    }

    /** A driver's hours. */
    public record Shift(Driver driver, ClockTime from, ClockTime to) {
        public boolean covers(ClockTime time) {
            return !time.isBefore(from) && time.isBefore(to);
        }

        /** The length of the shift, in minutes. */
        public int minutes() {
            return to.since(from) / 60;
        }
    }

    private final Map<String, Driver> drivers = new LinkedHashMap<>();
    private final TreeMap<ClockTime, Shift> shifts = new TreeMap<>();
    private final Map<String, String> standIns = new HashMap<>();

    /** Adds a driver. */
    public Driver add(String name, String phone) {
        Driver driver = new Driver(name, phone);
        drivers.put(name, driver);
        return driver;
    }

    /** A driver by name; {@code null} if nobody is called so. */
    public Driver driver(String name) {
        return drivers.get(name);
    }

    /**
     * Adds a shift.
     *
     * @param from when it begins, such as {@code 6:30}
     * @param to when it ends
     * @return {@code false} if the driver or a time is not understood
     */
    public boolean add(String name, String from, String to) {
        Driver driver = driver(name);
        ClockTime start = ClockTime.parse(from);
        ClockTime end = ClockTime.parse(to);
        if (driver == null || start == null || end == null) {
            return false;
        }
        shifts.put(start, new Shift(driver, start, end));
        return true;
    }

    /** The shift at a time; {@code null} if nobody drives then. */
    public Shift at(ClockTime time) {
        Map.Entry<ClockTime, Shift> entry = shifts.floorEntry(time);
        if (entry == null || !entry.getValue().covers(time)) {
            return null;
        }
        return entry.getValue();
    }

    /** The shift at a time that somebody typed; {@code null} if that is no time. */
    public Shift at(String typed) {
        ClockTime time = ClockTime.parse(typed);
        return time == null ? null : at(time);
    }

    /** Who drives at a time. */
    public String whoDrives(ClockTime time) {
        Shift shift = at(time);
        return shift.driver().name();
    }

    /** Tells whether a tram can run at a time. */
    public boolean isCovered(ClockTime time) {
        return at(time) != null;
    }

    /** How long the shift at a time still lasts, in minutes. */
    public int minutesLeft(ClockTime time) {
        return at(time).to().since(time) / 60;
    }

    /** When the next shift begins. */
    public String nextStart(ClockTime time) {
        return shifts.higherKey(time).toString();
    }

    /** How long there is a break before the shift that begins next, in minutes. */
    public int breakAfter(Shift shift) {
        Map.Entry<ClockTime, Shift> next = shifts.ceilingEntry(shift.to());
        return next.getKey().since(shift.to()) / 60;
    }

    /** Lets somebody stand in for somebody else. */
    public void standIn(String absent, String present) {
        standIns.put(absent, present);
    }

    /** Who stands in for a driver; the driver, if nobody does. */
    public Driver present(Driver driver) {
        String name = standIns.get(driver.name());
        if (name == null) {
            return driver;
        }
        return driver(name);
    }

    /** The extension to dial for a shift. */
    public String dial(Shift shift) {
        String extension = shift.driver().extension();
        return "*" + extension.concat("#");
    }

    /** Lists the extensions of all drivers who have one. */
    public List<String> extensions() {
        List<String> found = new ArrayList<>();
        for (Driver driver : drivers.values()) {
            if (driver.extension() != null) {
                found.add(driver.name() + " " + driver.extension());
            }
        }
        return found;
    }

    /** The first letter of a driver's name, on the duty sheet. */
    public char initial(String name) {
        return driver(name).name().charAt(0);
    }

    /** How many minutes a driver works in all. */
    public int workOf(Driver driver) {
        int minutes = 0;
        for (Shift shift : shifts.values()) {
            if (shift.driver().equals(driver)) {
                minutes += shift.minutes();
            }
        }
        return minutes;
    }

    /** The longest shift of a driver, in minutes. */
    public int longestOf(Driver driver) {
        Shift longest = null;
        for (Shift shift : shifts.values()) {
            boolean longer = longest == null || shift.minutes() > longest.minutes();
            if (shift.driver().equals(driver) && longer) {
                longest = shift;
            }
        }
        return longest.minutes();
    }
}
