package tramway.network;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import tramway.geo.Point;

/**
 * Reads a network from text.
 *
 * <pre>
 * stop HB  "Main station" 47.3780,8.5400 zone=10 stepfree
 * line 4   tram HB CE BE
 * </pre>
 */
public class NetworkReader implements Closeable {
    private final BufferedReader reader;
    private int lineNumber;
    private boolean closed;

    public NetworkReader(Reader reader) {
        this.reader = new BufferedReader(reader);
    }

    /**
     * Reads everything.
     *
     * @param source closed afterwards, whatever happens
     * @throws IOException if a line cannot be understood; the message has its number
     */
    public static Network read(Reader source) throws IOException {
        Network network = new Network();
        try (NetworkReader reader = new NetworkReader(source)) {
            while (reader.readInto(network)) {
                // all is done by the condition
            }
        }
        return network;
    }

    /** Reads one line; {@code false} at the end. */
    boolean readInto(Network network) throws IOException {
        String text = reader.readLine();
        if (text == null) {
            return false;
        }
        lineNumber++;
        String[] words = words(text);
        if (words.length == 0) {
            return true;
        }
        try {
            switch (words[0]) {
                case "stop":
                    network.add(readStop(words));
                    break;
                case "line":
                    network.add(readLine(words, network));
                    break;
                default:
                    throw problem("unknown word " + words[0], null);
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException wrong) {
            throw problem("bad " + words[0], wrong);
        }
        return true;
    }

    /** Reads a stop and what is said about it; words that mean nothing are passed over. */
    private Stop readStop(String[] words) {
        Point place = words[3].equals("?") ? null : Point.parse(words[3]);
        Stop stop = new Stop(words[1], words[2], place);
        for (int i = 4; i < words.length; i++) {
            String word = words[i];
            if (word.equals("stepfree")) {
                stop.setStepFree(true);
            } else if (word.startsWith("zone=")) {
                stop.setZone(Integer.parseInt(word.substring("zone=".length())));
            }
        }
        return stop;
    }

    /** Reads a line, all stops of which must have been read before. */
    private Line readLine(String[] words, Network network) throws IOException {
        LineKind kind = Labelled.find(LineKind.class, words[2]);
        if (kind == null) {
            throw problem("unknown kind " + words[2], null);
        }
        Line line = new Line(words[1], kind);
        for (int i = 3; i < words.length; i++) {
            Stop stop = network.stop(words[i]);
            if (stop == null) {
                throw problem("unknown stop " + words[i], null);
            }
            line.append(stop);
        }
        return line;
    }

    /**
     * Splits at blanks; what stands between quotes stays together. A hash ends the line.
     *
     * @return the words without their quotes
     */
    static String[] words(String line) {
        String[] words = new String[8];
        int count = 0;
        int at = 0;
        while (at < line.length() && line.charAt(at) != '#') {
            if (line.charAt(at) == ' ') {
                at++;
                continue;
            }
            boolean quoted = line.charAt(at) == '"';
            int start = quoted ? at + 1 : at;
            int end = line.indexOf(quoted ? '"' : ' ', start);
            if (end == -1) {
                end = line.length();
            }
            if (count == words.length) {
                words = Arrays.copyOf(words, count * 2);
            }
            words[count++] = line.substring(start, end);
            at = end + 1;
        }
        return Arrays.copyOf(words, count);
    }

    /** Makes an exception that tells where it is about. */
    private IOException problem(String what, Exception cause) {
        return new IOException("line " + lineNumber + ": " + what, cause);
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        reader.close();
    }
}
