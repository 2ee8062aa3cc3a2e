package brookside.catalog;

/** One issue of a periodical. */
public class Magazine extends Item {
    private final int issue;

    public Magazine(String shelfMark, String title, int year, int issue) {
        super(shelfMark, title, year);
        this.issue = issue;
    }

    public int getIssue() {
        return issue;
    }

    @Override
    public int loanDays() {
        return 7;
    }

    @Override
    public int dailyFine() {
        return 10;
    }

    @Override
    protected String kind() {
        return "magazine";
    }

    /** Issues of one magazine follow each other by number, not by mark. */
    @Override
    public int compareTo(Item other) {
        if (other instanceof Magazine that && sortKey().equals(that.sortKey())) {
            int byYear = Integer.compare(getYear(), that.getYear());
            return byYear != 0 ? byYear : Integer.compare(issue, that.issue);
        }
        return super.compareTo(other);
    }

    @Override
    public String describe() {
        return super.describe() + " no. " + issue;
    }
}
