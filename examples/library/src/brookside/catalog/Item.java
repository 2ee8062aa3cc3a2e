package brookside.catalog;

import java.util.Objects;

/**
 * Anything the library owns and can put on a shelf.
 *
 * <p>Items are equal when their shelf marks are; two copies of one book have different marks.
 */
public abstract class Item implements Comparable<Item> {
    private final String shelfMark;
    private final String title;
    private final int year;
    private boolean withdrawn;
    private String remark;

    protected Item(String shelfMark, String title, int year) {
        this.shelfMark = Objects.requireNonNull(shelfMark, "shelfMark");
        this.title = title.strip();
        this.year = year;
    }

    /**
     * Tells for how many days a member may take the item home.
     *
     * @return the days, zero when the item stays in the building
     */
    public abstract int loanDays();

    /** Returns what one day of delay costs, in cents. */
    public abstract int dailyFine();

    /** A short word for lists, such as {@code book}. */
    protected abstract String kind();

    public String getShelfMark() {
        return shelfMark;
    }

    public String getTitle() {
        return title;
    }

    public int getYear() {
        return year;
    }

    public boolean isWithdrawn() {
        return withdrawn;
    }

    public void setWithdrawn(boolean withdrawn) {
        this.withdrawn = withdrawn;
    }

    /**
     * Returns the remark a librarian has left on the item.
     *
     * @return the remark, or <code>null</code> if nobody left one
     */
    public String getRemark() {
        return remark;
    }

    public void setRemark(String remark) {
        this.remark = remark == null || remark.isBlank() ? null : remark.strip();
    }

    /** Tells whether the item may leave the building at all. */
    public final boolean isLendable() {
        return !withdrawn && loanDays() > 0;
    }

    /**
     * The title as it is sorted: in lower case and without a leading article.
     *
     * @return a key that puts <i>The Waves</i> under W
     */
    public String sortKey() {
        String key = title.toLowerCase();
        for (String article : new String[] {"the ", "an ", "a "}) {
            if (key.startsWith(article) && key.length() > article.length()) {
                return key.substring(article.length());
            }
        }
        return key;
    }

    /** One line for a list: what it is, its title and its year. */
    public String describe() {
        StringBuilder line = new StringBuilder(kind());
        line.append(" \"").append(title).append('"');
        if (year > 0) {
            line.append(" (").append(year).append(')');
        }
        if (withdrawn) {
            line.append(" [withdrawn]");
        }
        return line.toString();
    }

    /** The first words of the remark, for a narrow column. */
    public String shortRemark(int width) {
        String text = getRemark();
        if (text.length() <= width) {
            return text;
        }
        return text.substring(0, width - 1) + "…";
    }

    /** Orders items as they stand on the shelf: by title, then year, then mark. */
    @Override
    public int compareTo(Item other) {
        int byTitle = sortKey().compareTo(other.sortKey());
        if (byTitle != 0) {
            return byTitle;
        }
        if (year != other.year) {
            return year < other.year ? -1 : 1;
        }
        return shelfMark.compareTo(other.shelfMark);
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        return shelfMark.equals(((Item) other).shelfMark);
    }

    @Override
    public int hashCode() {
        return shelfMark.hashCode();
    }

    @Override
    public String toString() {
        return shelfMark + ": " + describe();
    }
}
