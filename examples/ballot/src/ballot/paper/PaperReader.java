package ballot.paper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads candidates ({@code + G1 Ann Hill}) and papers ({@code 12 x G1 > H2}), one a line. */
public class PaperReader {
    private final Map<String, Candidate> candidates = new LinkedHashMap<>();
    private final List<Paper> papers = new ArrayList<>();
    private int bad;

    /**
     * Reads everything.
     *
     * @throws IOException if the lines cannot be read
     */
    public void read(Reader source) throws IOException {
        try (BufferedReader lines = new BufferedReader(source)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isBlank()) {
                    continue;
                }
                boolean known = line.startsWith("+") ? readCandidate(line) : readPapers(line);
                if (!known) {
                    bad++;
                }
            }
        }
    }

    /** Reads only the first line, which names the election. */
    public static String readTitle(BufferedReader lines) throws IOException {
        String title = lines.readLine();
        return title.strip();
    }

    /** Reads a candidate; the first letter of the id is that of the party. */
    private boolean readCandidate(String line) {
        String[] words = line.substring(1).strip().split(" +", 2);
        if (words.length < 2) {
            return false;
        }
        Party party = Party.ofLetter(words[0].substring(0, 1));
        if (party == null) {
            return false;
        }
        candidates.put(words[0], new Candidate(words[0], words[1], party));
        return true;
    }

    /** Reads some papers that are all the same. */
    private boolean readPapers(String line) {
        int cross = line.indexOf(" x ");
        int count = cross < 0 ? 1 : number(line.substring(0, cross));
        Paper paper = parse(cross < 0 ? line : line.substring(cross + 3));
        if (paper == null || count < 1) {
            return false;
        }
        while (count > 0) {
            papers.add(paper);
            count--;
        }
        return true;
    }

    /** A number without a sign; -1 for anything else. */
    static int number(String text) {
        int number = 0;
        for (char c : text.strip().toCharArray()) {
            if (c < '0' || c > '9' || number > 99_999) {
                return -1;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }

    /**
     * Reads one paper.
     *
     * @return the paper, or {@code null} if somebody on it does not stand
     */
    public Paper parse(String text) {
        List<String> choices = new ArrayList<>();
        for (String word : text.split(">")) {
            String id = word.strip();
            if (id.isEmpty()) {
                continue;
            }
            if (candidate(id) == null) {
                return null;
            }
            choices.add(id);
        }
        return new Paper(choices);
    }

    /** How far up a candidate stands on a paper that is written down. */
    public int rank(String id, String text) {
        return parse(text).rank(id);
    }

    /** A candidate; {@code null} if nobody has that id. */
    public Candidate candidate(String id) {
        return candidates.get(id);
    }

    /** The name of a candidate. */
    public String nameOf(String id) {
        Candidate candidate = candidate(id);
        return candidate.name();
    }

    /** The party of a candidate, or of nobody. */
    public Party partyOf(String id) {
        Candidate candidate = candidate(id);
        return candidate == null ? Party.NONE : candidate.party();
    }

    public Map<String, Candidate> candidates() {
        return candidates;
    }

    public List<Paper> papers() {
        return papers;
    }

    /** How many lines were not understood. */
    public int bad() {
        return bad;
    }
}
