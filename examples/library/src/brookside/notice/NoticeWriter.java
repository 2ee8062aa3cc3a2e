package brookside.notice;

import brookside.catalog.Item;
import brookside.lending.CivilDate;
import brookside.lending.FineSchedule;
import brookside.lending.LendingDesk;
import brookside.lending.Loan;
import brookside.lending.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Writes what members get by post or by mail. */
public class NoticeWriter {
    private static final String LETTER =
            """
            %s

            %s

            Yours,
            the library
            """;

    private final FineSchedule fines;
    private final int width;

    public NoticeWriter(FineSchedule fines, int width) {
        this.fines = fines;
        this.width = width;
    }

    /** The whole letter around a notice. */
    public String letter(Notice notice) {
        String body = String.join("\n", wrap(notice.body(), width));
        return LETTER.formatted(notice.salutation(), body);
    }

    /** One notice for each member with late loans, the most urgent first. */
    public List<Notice> warnings(LendingDesk desk) {
        class Worst {
            int days;

            void see(Loan loan) {
                days = Math.max(days, loan.daysLate(desk.getToday()));
            }
        }

        TreeSet<Notice> notices = new TreeSet<>();
        for (Map.Entry<String, List<Loan>> entry : desk.lateLoans().entrySet()) {
            Worst worst = new Worst();
            entry.getValue().forEach(worst::see);
            String body = table(entry.getValue(), desk.getToday());
            notices.add(new Notice(urgencyOf(worst.days), entry.getKey(), body));
        }
        return new ArrayList<>(notices);
    }

    /** How urgent a delay is. */
    static Notice.Urgency urgencyOf(int daysLate) {
        if (daysLate > 60) {
            return Notice.Urgency.LAST_WARNING;
        } else if (daysLate > 14) {
            return Notice.Urgency.WARNING;
        } else if (daysLate > 0) {
            return Notice.Urgency.REMINDER;
        }
        return Notice.Urgency.NEWS;
    }

    /** A table of loans: title, due date and fine, one line each. */
    String table(List<Loan> loans, CivilDate today) {
        StringBuilder table = new StringBuilder();
        for (Loan loan : loans) {
            Item item = loan.getItem();
            table.append(padRight(item.getTitle(), width - 20)).append(' ');
            table.append(loan.getDue());
            table.append(padLeft(FineSchedule.money(fines.fine(loan, today)), 8)).append('\n');
        }
        return table.toString();
    }

    /** What the screen at the desk shows after an action. */
    public static String screen(Outcome outcome) {
        String mark = outcome.isSuccess() ? "+" : "-";
        if (outcome instanceof Outcome.Queued queued && queued.place() > 3) {
            mark = "…";
        }
        return mark + " " + outcome.message();
    }

    /**
     * Breaks a text into lines. Words longer than a line are cut; line breaks in the text stay.
     *
     * @param text what to break
     * @param width the most characters a line may have
     * @return the lines, without spaces at their ends
     */
    public static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        for (String paragraph : text.split("\n", -1)) {
            if (paragraph.length() <= width) {
                lines.add(paragraph.stripTrailing());
                continue;
            }
            StringBuilder line = new StringBuilder();
            for (String word : paragraph.split(" +")) {
                while (word.length() > width) {
                    if (line.length() > 0) {
                        lines.add(line.toString());
                        line.setLength(0);
                    }
                    lines.add(word.substring(0, width));
                    word = word.substring(width);
                }
                if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                    lines.add(line.toString());
                    line.setLength(0);
                }
                if (line.length() > 0) {
                    line.append(' ');
                }
                line.append(word);
            }
            lines.add(line.toString());
        }
        return lines;
    }

    /** Fills a text with spaces on the right; a longer one is cut. */
    static String padRight(String text, int width) {
        if (text.length() >= width) {
            return text.substring(0, width);
        }
        return text + " ".repeat(width - text.length());
    }

    /** Fills a text with spaces on the left. */
    static String padLeft(String text, int width) {
        String padded = text;
        while (padded.length() < width) {
            padded = " " + padded;
        }
        return padded;
    }
}
