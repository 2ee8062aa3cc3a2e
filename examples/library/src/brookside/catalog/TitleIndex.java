package brookside.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Titles in a tree of letters: fast to search by beginning, patient with spelling mistakes. */
class TitleIndex {
    /** The letters after a common beginning. */
    private static final class Node {
        final Map<Character, Node> next = new TreeMap<>();
        final List<String> marks = new ArrayList<>();

        Node child(char letter) {
            return next.get(letter);
        }

        /** Appends the marks of this node and of all below it, in alphabetical order. */
        void collect(List<String> into) {
            into.addAll(marks);
            for (Node node : next.values()) {
                node.collect(into);
            }
        }

        /** Removes a mark wherever it is; tells whether it was found. */
        boolean remove(String mark) {
            boolean found = marks.remove(mark);
            for (Node node : next.values()) {
                found |= node.remove(mark);
            }
            return found;
        }
    }

    private final Node root = new Node();

    /** Remembers under which title the item with a mark is found. */
    void add(String title, String mark) {
        Node node = root;
        for (char letter : letters(title).toCharArray()) {
            node = node.next.computeIfAbsent(letter, key -> new Node());
        }
        node.marks.add(mark);
    }

    boolean remove(String mark) {
        return root.remove(mark);
    }

    /**
     * Finds what begins with the given words.
     *
     * @return shelf marks by alphabet of their titles; empty if no title begins so
     */
    List<String> marksFrom(String beginning) {
        List<String> marks = new ArrayList<>();
        Node node = descend(letters(beginning));
        if (node != null) {
            node.collect(marks);
        }
        return marks;
    }

    /** Follows the letters down from the root; {@code null} where the path ends early. */
    private Node descend(String path) {
        Node node = root;
        for (int i = 0; i < path.length() && node != null; i++) {
            node = node.child(path.charAt(i));
        }
        return node;
    }

    /** Small letters and digits only, one space between words. */
    static String letters(String title) {
        StringBuilder kept = new StringBuilder(title.length());
        boolean gap = false;
        for (int i = 0; i < title.length(); i++) {
            char c = title.charAt(i);
            if (Character.isLetterOrDigit(c)) {
                if (gap && kept.length() > 0) {
                    kept.append(' ');
                }
                kept.append(Character.toLowerCase(c));
                gap = false;
            } else if (c != '\'') {
                gap = true;
            }
        }
        return kept.toString();
    }
}
