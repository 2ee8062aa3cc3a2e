package ballot.paper;

/** Who stands together. */
public enum Party {
    GREEN("G", "Green Hills"),
    HARBOUR("H", "Harbour List"),
    MARKET("M", "Friends of the Market") {
        @Override
        public String shortName() {
            return "Market";
        }
    },
    NONE("-", "independent");

    private final String letter;
    private final String title;

    Party(String letter, String title) {
        this.letter = letter;
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** The first word of the name, for narrow columns. */
    public String shortName() {
        int space = title.indexOf(' ');
        return space < 0 ? title : title.substring(0, space);
    }

    /**
     * Finds a party by the letter on a paper.
     *
     * @return the party, or {@code null} if no party has that letter
     */
    public static Party ofLetter(String letter) {
        for (Party party : values()) {
            if (party.letter.equals(letter)) {
                return party;
            }
        }
        return null;
    }

    /** The name of the party with a letter. */
    public static String titleOf(String letter) {
        return ofLetter(letter).title();
    }
}
