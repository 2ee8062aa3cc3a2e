package brookside.house;

import brookside.lending.CivilDate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** Readings and other evenings. */
public class Programme {
    /** An evening; guest and price may be missing. */
    public static final class Evening implements Comparable<Evening> {
        private final String title;
        private final CivilDate day;
        private String guest;
        private Integer cents;

        Evening(String title, CivilDate day) {
            this.title = title;
            this.day = day;
        }

        public String title() {
            return title;
        }

        /** Sets who reads. */
        public Evening with(String newGuest) {
            guest = newGuest;
            return this;
        }

        /** Sets what it costs. */
        public Evening costs(int newCents) {
            cents = newCents;
            return this;
        }

        /** The guest's last name; {@code null} if there is no guest. */
        public String guestName() {
            return guest == null ? null : guest.substring(guest.lastIndexOf(' ') + 1);
        }

        /** What it costs, in cents; {@code null} if one gives what one likes. */
        public Integer price() {
            return cents != null && cents > 0 ? cents : null;
        }

        /** The line at the bottom of the poster. */
        public String priceLine() {
            Integer price = price();
            return price == null ? "free" : price / 100 + " a head";
        }

        @Override
        public int compareTo(Evening other) {
            return day.compareTo(other.day);
        }
    }

    private final PriorityQueue<Evening> coming = new PriorityQueue<>();
    private final Map<String, Integer> sold = new HashMap<>();

    /**
     * Adds an evening.
     *
     * @param day as {@code 2021-03-09}
     * @return the evening, or {@code null} if the day is none
     */
    public Evening add(String title, String day) {
        CivilDate parsed = CivilDate.parse(day);
        if (parsed == null) {
            return null;
        }
        Evening evening = new Evening(title, parsed);
        coming.add(evening);
        return evening;
    }

    /** Adds an evening with a guest. */
    public Evening add(String title, String day, String guest) {
        return add(title, day).with(guest);
    }

    /**
     * Reads evenings, a day and a title on each line, after a line with the season.
     *
     * @return how many there are
     * @throws IOException if the lines cannot be read
     */
    public int read(Reader source) throws IOException {
        int count = 0;
        try (BufferedReader lines = new BufferedReader(source)) {
            String season = lines.readLine().strip();
            String line;
            while ((line = lines.readLine()) != null) {
                int space = line.indexOf(' ');
                String title = line.substring(space + 1) + " (" + season + ")";
                if (space > 0 && add(title, line.substring(0, space)) != null) {
                    count++;
                }
            }
        }
        return count;
    }

    /** The evening that comes next. */
    public String poster() {
        Evening next = coming.peek();
        return next.title() + ", " + next.priceLine();
    }

    /** Takes the next evening off the list when it is over. */
    public String close() {
        return coming.poll().title();
    }

    /** An evening by its title; {@code null} if it is not planned. */
    public Evening find(String title) {
        for (Evening evening : coming) {
            if (evening.title().equals(title)) {
                return evening;
            }
        }
        return null;
    }

    /** The days left until an evening. */
    public int daysUntil(String title, CivilDate today) {
        return today.daysUntil(find(title).day);
    }

    /** Tells whether an evening is planned that has a guest. */
    public boolean hasGuest(String title) {
        Evening evening = find(title);
        return evening != null && evening.guestName() != null;
    }

    /** The letter under which the guest's books are laid out. */
    public static char tableLetter(Evening evening) {
        return evening.guestName().charAt(0);
    }

    /** Sells seats for an evening. */
    public void sell(Evening evening, int seats) {
        sold.merge(evening.title(), seats, Integer::sum);
    }

    /** How many seats were sold. */
    public int seatsSold(Evening evening) {
        return sold.get(evening.title());
    }

    /** What an evening brings in, in cents. */
    public int takings(Evening evening) {
        Integer seats = sold.get(evening.title());
        int each = evening.price();
        return seats == null ? 0 : seats * each;
    }

    /** The titles of all evenings that cost nothing, in no order. */
    public List<String> free() {
        List<String> titles = new ArrayList<>();
        for (Evening evening : coming) {
            if (evening.price() == null) {
                titles.add(evening.title());
            }
        }
        return titles;
    }

    /** The dearest evening. */
    public String dearest() {
        Evening dearest = null;
        int most = 0;
        for (Evening evening : coming) {
            Integer price = evening.price();
            if (price != null && price > most) {
                most = price;
                dearest = evening;
            }
        }
        return dearest.title();
    }
}
