package quill.module;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import quill.text.Nullable;
import quill.text.Strings;

/** What is written about the functions of the language, page by page. */
public class Manual {
    /**
     * A page.
     *
     * @param topic the name it is about
     * @param section where it stands, such as {@code lists}
     * @param text what it says
     */
    public record Page(String topic, String section, String text) {
        /** The first sentence, up to its full stop. */
        public String summary() {
            int end = text.indexOf('.');
            return end < 0 ? text : text.substring(0, end + 1);
        }

        /**
         * The example on the page: what follows a line that says so.
         *
         * @return the example, or {@code null} if the page has none
         */
        @Nullable
        public String example() {
            int at = text.indexOf("Example:");
            return at < 0 ? null : text.substring(at + "Example:".length()).strip();
        }

        /** The topic the page refers to; {@code null} if it stands for itself. */
        @Nullable
        public String seeAlso() {
            int at = text.indexOf("See ");
            if (at < 0) {
                return null;
            }
            int end = text.indexOf('.', at);
            return end < 0 ? null : text.substring(at + 4, end);
        }
    }

    private final TreeMap<String, Page> pages = new TreeMap<>();

    /** Adds a page; an older one about the same topic is replaced. */
    public Manual add(String topic, String section, String text) {
        pages.put(topic, new Page(topic, section, text));
        return this;
    }

    public int size() {
        return pages.size();
    }

    /** The page about a topic; {@code null} if nobody wrote one. */
    public Page page(String topic) {
        return pages.get(topic);
    }

    /** What {@code :help topic} prints. */
    public String help(String topic) {
        Page page = page(topic);
        if (page == null) {
            return "nothing about " + topic;
        }
        return page.topic() + " (" + page.section() + ")\n" + page.text();
    }

    /** One line about a topic, for a list. */
    public String line(String topic) {
        return Strings.fill(topic, 10, ' ') + page(topic).summary();
    }

    /** How many lines the example of a page has. */
    public int exampleLines(Page page) {
        String example = page.example();
        return example.split("\n").length;
    }

    /** All examples, for a check that runs them. */
    public List<String> examples() {
        List<String> found = new ArrayList<>();
        for (Page page : pages.values()) {
            String example = page.example();
            if (example != null) {
                found.add(example);
            }
        }
        return found;
    }

    /** The page to which another one refers. */
    public String follow(String topic) {
        Page page = page(topic);
        String other = page.seeAlso();
        return other == null ? page.text() : help(other);
    }

    /** Tells whether two pages stand in one section, by the topic of the second. */
    public boolean isBeside(Page page, String topic) {
        Page other = page(topic);
        return other != null && other.section().equals(page.section());
    }

    /** The link at the end of a page, in capitals. */
    public static String link(Page page) {
        return "-> " + page.seeAlso().toUpperCase(Locale.ROOT);
    }

    /** The topic that follows another one in the alphabet, for the foot of a page. */
    public String next(String topic) {
        Map.Entry<String, Page> next = pages.higherEntry(topic);
        return next.getKey() + ": " + next.getValue().summary();
    }

    /** The topics from the first to the last, as on the back of a volume. */
    public String span() {
        Map.Entry<String, Page> first = pages.firstEntry();
        String last = pages.lastKey();
        return initial(first.getValue()) + "-" + Character.toUpperCase(last.charAt(0));
    }

    /** The letter under which a page stands. */
    private static char initial(Page page) {
        return Character.toUpperCase(page.topic().charAt(0));
    }

    /** The page whose topic comes just before some letters. */
    public Page before(String letters) {
        String topic = pages.lowerKey(letters);
        return page(topic.toLowerCase(Locale.ROOT));
    }

    /** The pages of a section, by topic. */
    public List<Page> section(String name) {
        return pages.values().stream().filter(page -> page.section().equals(name)).toList();
    }

    /** The shortest page of a section. */
    public String shortest(String section) {
        Page best = null;
        for (Page page : section(section)) {
            if (best == null || page.text().length() < best.text().length()) {
                best = page;
            }
        }
        return best.topic();
    }
}
