package ballot.report;

import ballot.count.CountingRule;
import ballot.count.Plurality;
import ballot.count.Tally;
import ballot.paper.Candidate;
import ballot.paper.Paper;
import ballot.paper.PaperReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What the town hall publishes after an election. */
public class Bulletin {
    private static final String PAGE =
            """
            %s
            %s
            elected: %s
            """;

    private final PaperReader reader;
    private final int width;

    public Bulletin(PaperReader reader, int width) {
        this.reader = Objects.requireNonNull(reader, "reader");
        this.width = width;
    }

    /** The ids of all who stand. */
    private Set<String> standing() {
        return reader.candidates().keySet();
    }

    /** A row for a candidate: name, dots and votes. */
    public String row(String id, int votes) {
        Candidate candidate = reader.candidate(id);
        String name = candidate == null ? id : candidate.name();
        StringBuilder row = new StringBuilder(name);
        String digits = Integer.toString(votes);
        for (int i = name.length() + digits.length(); i < width; i++) {
            row.append('.');
        }
        return row.append(digits).toString();
    }

    /** The whole page for a rule. */
    public String page(CountingRule rule) {
        List<Paper> papers = CountingRule.valid(reader.papers());
        Tally<String> tally = Plurality.count(papers, standing());
        StringBuilder rows = new StringBuilder();
        for (String id : tally.ranking()) {
            if (rows.length() > 0) {
                rows.append('\n');
            }
            rows.append(row(id, tally.of(id)));
        }
        String winner = rule.winner(papers, standing());
        String elected = winner == null ? "nobody" : reader.nameOf(winner);
        return PAGE.formatted(rule.title(), rows, elected);
    }

    /** The first letter of the winner's id, by the rule of the house. */
    public String winnerMark(CountingRule rule) {
        String winner = rule.winner(reader.papers(), standing());
        return "[" + winner.substring(0, 1) + "]";
    }

    /** A greeting to a candidate, by how they did. */
    public static String greeting(int rank, boolean tied) {
        if (rank < 1) {
            return "Thank you for standing.";
        }
        String place;
        switch (rank) {
            case 1:
                place = tied ? "You share the first place" : "You have won";
                break;
            case 2:
                place = "You came second";
                break;
            default:
                place = "You came in at place " + rank;
                break;
        }
        return tied && rank > 1 ? place + ", not alone." : place + ".";
    }

    /** What else there is to say about an election, sentence by sentence. */
    public static String remarks(int turnout, int spoilt, int blank, int standing, int hours) {
        StringBuilder remarks = new StringBuilder();
        if (turnout > 80) {
            remarks.append("More came than ever. ");
        }
        if (turnout < 20) {
            remarks.append("Few came. ");
        }
        if (spoilt > 0) {
            remarks.append(spoilt).append(" papers were spoilt. ");
        }
        if (blank > 0) {
            remarks.append(blank).append(" papers were blank. ");
        }
        if (standing == 1) {
            remarks.append("There was no choice. ");
        }
        if (hours < 6) {
            remarks.append("The hours were short. ");
        }
        return remarks.toString().stripTrailing();
    }

    /** The paper on which a bulletin is printed: larger and heavier ones cost more. */
    public static int printCost(int copies, boolean large, boolean heavy, boolean colour) {
        int cents = 4;
        if (large) {
            cents *= 2;
        }
        if (heavy) {
            cents += 3;
        }
        if (colour) {
            cents += 10;
        }
        int rest = copies % 100;
        if (rest != 0) {
            // Printers count in hundreds.
            copies += 100 - rest;
        }
        return copies * cents;
    }

    /** Numbers spoilt, blank and good papers. */
    public static int[] kinds(List<Paper> papers) {
        int[] counts = new int[3];
        for (Paper paper : papers) {
            if (paper.isSpoilt()) {
                counts[0]++;
            } else if (paper.isBlank()) {
                counts[1]++;
            } else {
                counts[2]++;
            }
        }
        return counts;
    }

    /** The job of the winner from a table of jobs. */
    public static int jobLength(Map<String, String> jobs, Candidate winner) {
        String job = jobs.get(winner.id());
        return job.length();
    }
}
