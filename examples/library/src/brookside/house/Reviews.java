package brookside.house;

import brookside.catalog.Book;
import brookside.catalog.Catalog;
import brookside.catalog.Isbn;
import brookside.catalog.Item;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What readers write about what they have read. */
public class Reviews {
    /**
     * An opinion.
     *
     * @param stars from one to five
     * @param text what the reader wrote, perhaps nothing
     */
    public record Review(String reader, int stars, String text) {
        /** The first line of the text; {@code null} if there is no text. */
        public String headline() {
            if (text == null || text.isBlank()) {
                return null;
            }
            int end = text.indexOf('\n');
            return end < 0 ? text : text.substring(0, end);
        }
    }

    private final Catalog catalog;
    private final Map<String, List<Review>> byMark = new HashMap<>();
    private final Map<String, Double> means = new HashMap<>();

    public Reviews(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Adds a review of an item; {@code false} if there is no such item. */
    public boolean add(String mark, Review review) {
        if (catalog.find(mark) == null) {
            return false;
        }
        byMark.computeIfAbsent(mark, key -> new ArrayList<>()).add(review);
        means.remove(mark);
        return true;
    }

    /** The reviews of an item; {@code null} if nobody wrote one. */
    public List<Review> of(String mark) {
        return byMark.get(mark);
    }

    /** How many reviews an item has. */
    public int count(String mark) {
        List<Review> reviews = of(mark);
        return reviews == null ? 0 : reviews.size();
    }

    /** The mean of an item's stars, computed once until a review comes in. */
    public double mean(String mark) {
        Double known = means.get(mark);
        if (known != null) {
            return known;
        }
        int sum = 0;
        List<Review> reviews = of(mark);
        for (Review review : reviews) {
            sum += review.stars();
        }
        double mean = (double) sum / reviews.size();
        means.put(mark, mean);
        return mean;
    }

    /** The best review of an item; {@code null} if it has none. */
    public Review best(String mark) {
        Review best = null;
        for (Review review : byMark.getOrDefault(mark, List.of())) {
            if (best == null || review.stars() > best.stars()) {
                best = review;
            }
        }
        return best;
    }

    /** What is printed on a card beside the item. */
    public String card(Item item) {
        Review best = best(item.getShelfMark());
        return item.getTitle() + ": " + "*".repeat(best.stars());
    }

    /** The words on the card, cut to a width. */
    public String quote(Review review, int width) {
        String line = review.headline();
        return line.length() <= width ? line : line.substring(0, width);
    }

    /** Tells whether a review says anything. */
    public static boolean isWorded(Review review) {
        return review.headline() != null;
    }

    /** A reader's review of an item; {@code null} if they wrote none. */
    public Review by(String reader, String mark) {
        for (Review review : byMark.getOrDefault(mark, List.of())) {
            if (review.reader().equals(reader)) {
                return review;
            }
        }
        return null;
    }

    /** How much more one reader likes an item than another, in stars. */
    public int difference(String mark, Review mine, String other) {
        return mine.stars() - by(other, mark).stars();
    }

    /** Lets a reader write only once about an item. */
    public boolean addOnce(String mark, Review review) {
        return by(review.reader(), mark) == null && add(mark, review);
    }

    /** The title of what is read in the reading circle, by the number on its back. */
    public String circleTitle(String printed) {
        Isbn isbn = Isbn.parse(printed);
        if (isbn == null) {
            return "?";
        }
        Book book = catalog.find(isbn);
        return book.getTitle();
    }

    /** The old number of a book, which the catalogue of the circle still uses. */
    public static int oldNumberLength(Isbn isbn) {
        return isbn.toOld().length();
    }

    /** The number on a book's back, sorted after another one. */
    public static boolean isAfter(Isbn isbn, String printed) {
        Isbn other = Isbn.parse(printed);
        return other != null && isbn.compareTo(other) > 0;
    }
}
