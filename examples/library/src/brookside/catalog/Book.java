package brookside.catalog;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A printed book; the one kind of item that has an {@link Isbn}. */
public class Book extends Item {
    private static final int LONG_READ = 600;

    private final Isbn isbn;
    private final List<String> authors = new ArrayList<>();
    private final Set<Subject> subjects = EnumSet.noneOf(Subject.class);
    private int pages;

    public Book(String shelfMark, String title, int year, Isbn isbn) {
        super(shelfMark, title, year);
        this.isbn = isbn;
    }

    /**
     * Creates a book with its authors.
     *
     * @param authors their names in the order of the title page
     */
    public Book(String shelfMark, String title, int year, Isbn isbn, String... authors) {
        this(shelfMark, title, year, isbn);
        Collections.addAll(this.authors, authors);
    }

    public Isbn getIsbn() {
        return isbn;
    }

    public int getPages() {
        return pages;
    }

    /**
     * Sets the number of pages.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void setPages(int pages) {
        if (pages < 0) {
            throw new IllegalArgumentException("a book has no " + pages + " pages");
        }
        this.pages = pages;
    }

    public Book addSubject(Subject subject) {
        subjects.add(subject);
        return this;
    }

    /** Adds several subjects at once; those already there are left alone. */
    public Book addSubject(Subject first, Subject... more) {
        addSubject(first);
        for (Subject subject : more) {
            addSubject(subject);
        }
        return this;
    }

    public boolean isAbout(Subject subject) {
        return subjects.contains(subject);
    }

    /**
     * Finds the author under whom the book is shelved.
     *
     * @return the first author, or {@code null} for an anonymous work
     */
    public String mainAuthor() {
        return authors.isEmpty() ? null : authors.get(0);
    }

    /** The last name of the main author, in capitals, as it is written on the spine. */
    public String spineLabel() {
        String author = mainAuthor();
        int space = author.lastIndexOf(' ');
        return author.substring(space + 1).toUpperCase();
    }

    /**
     * Lists the authors as a sentence would: "A", "A and B", "A, B and C".
     *
     * @return the names, or "anonymous" if there are none
     */
    public String authorLine() {
        final int count = authors.size();
        if (count == 0) {
            return "anonymous";
        }
        String line = authors.get(0);
        for (int i = 1; i < count; i++) {
            line += (i == count - 1 ? " and " : ", ") + authors.get(i);
        }
        return line;
    }

    /** Reference works stay; long books may be kept a week longer than others. */
    @Override
    public int loanDays() {
        if (isAbout(Subject.REFERENCE)) {
            return 0;
        }
        return pages >= LONG_READ ? 28 : 21;
    }

    @Override
    public int dailyFine() {
        return 20;
    }

    @Override
    protected String kind() {
        return "book";
    }

    /** {@inheritDoc} The authors are named, too. */
    @Override
    public String describe() {
        return super.describe() + " by " + authorLine();
    }
}
