package brookside.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Books that belong together, by the number of the volume. */
public class Series {
    private final String title;
    private final TreeMap<Integer, Book> volumes = new TreeMap<>();
    private Book companion;

    public Series(String title) {
        this.title = title;
    }

    public String getTitle() {
        return title;
    }

    /** Adds a volume; {@code false} if there is one with this number. */
    public boolean add(int number, Book book) {
        return volumes.putIfAbsent(number, book) == null;
    }

    /** Sets the book that explains the others. */
    public void setCompanion(Book companion) {
        this.companion = companion;
    }

    /** A volume; {@code null} if the house does not have it. */
    public Book volume(int number) {
        return volumes.get(number);
    }

    /** What comes after a volume; {@code null} after the last. */
    public Book after(int number) {
        Map.Entry<Integer, Book> next = volumes.higherEntry(number);
        return next == null ? null : next.getValue();
    }

    /** The number that is printed on the spine of the last volume. */
    public int lastNumber() {
        Map.Entry<Integer, Book> last = volumes.lastEntry();
        return last.getKey();
    }

    /** What a reader who has finished a volume is told. */
    public String recommend(int finished) {
        Book next = after(finished);
        if (next == null) {
            return "that was the last one";
        }
        return "now read " + next.getTitle();
    }

    /** How many days one may keep the next volume. */
    public int daysForNext(int finished) {
        return after(finished).loanDays();
    }

    /** The years between a volume and the next one. */
    public int pause(int number) {
        Book book = volume(number);
        Book next = after(number);
        if (next == null) {
            return 0;
        }
        return next.getYear() - book.getYear();
    }

    /** Tells whether a volume is here and may go out. */
    public boolean isLendable(int number) {
        Book book = volume(number);
        return book != null && book.isLendable();
    }

    /** The numbers that are missing between the first volume and the last. */
    public List<Integer> missing() {
        List<Integer> missing = new ArrayList<>();
        if (volumes.isEmpty()) {
            return missing;
        }
        for (int number = volumes.firstKey(); number < volumes.lastKey(); number++) {
            if (volume(number) == null) {
                missing.add(number);
            }
        }
        return missing;
    }

    /** The author of the series: whoever wrote the volume with the lowest number. */
    public String author() {
        return volumes.firstEntry().getValue().authorLine();
    }

    /** A line for a volume: number, title and pages. */
    public String line(int number) {
        Book book = volume(number);
        return number + ". " + book.getTitle() + ", " + book.getPages() + " p.";
    }

    /** The book with most pages; {@code null} if there are no books. */
    public Book thickest() {
        Book thickest = null;
        for (Book book : volumes.values()) {
            if (thickest == null || book.getPages() > thickest.getPages()) {
                thickest = book;
            }
        }
        return thickest;
    }

    /** How many volumes like the thickest one fit between two ends. */
    public int fitting(int pages) {
        return pages / Math.max(1, thickest().getPages());
    }

    /** The title of the book that explains the others; of the first one, if there is none. */
    public String startWith() {
        Book start = companion;
        if (start == null && !volumes.isEmpty()) {
            start = volumes.get(volumes.firstKey());
        }
        return start.getTitle();
    }
}
