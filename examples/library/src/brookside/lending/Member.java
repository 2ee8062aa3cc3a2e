package brookside.lending;

import java.util.Objects;

/** A person with a library card. */
public class Member {
    /** Collects what is known of a new member before the card is printed. */
    public static class Builder {
        private final String card;
        private String name = "";
        private String email;
        private MemberKind kind = MemberKind.ADULT;

        Builder(String card) {
            this.card = card;
        }

        public Builder name(String first, String last) {
            return name(first + " " + last);
        }

        /** Sets the name as it is printed on the card. */
        public Builder name(String full) {
            name = full;
            return this;
        }

        public Builder email(String address) {
            email = address;
            return this;
        }

        public Builder kind(MemberKind kind) {
            this.kind = kind;
            return this;
        }

        /** Makes the member; a card without a name is refused. */
        public Member build() {
            if (name.isBlank()) {
                throw new IllegalStateException("card " + card + " has no name");
            }
            return new Member(this);
        }
    }

    private static int issued;

    static {
        // Cards below 100 belonged to the old paper register.
        issued = 100;
    }

    private final String card;
    private final String name;
    private final MemberKind kind;
    private String email;
    private int owed;

    private Member(Builder builder) {
        card = builder.card;
        name = builder.name;
        kind = builder.kind;
        email = builder.email;
    }

    /** Begins a member with a given card. */
    public static Builder withCard(String card) {
        return new Builder(card);
    }

    /** Begins a member with the next free card of a kind. */
    public static Builder newCard(MemberKind kind) {
        issued += 1;
        return new Builder(kind.letter() + "-" + issued).kind(kind);
    }

    public String getCard() {
        return card;
    }

    public String getName() {
        return name;
    }

    public MemberKind getKind() {
        return kind;
    }

    /** The address for notices; {@code null} if the member wants letters. */
    public String getEmail() {
        return email;
    }

    public void setEmail(String email) {
        this.email = email;
    }

    /** The unpaid fines, in cents. */
    public int getOwed() {
        return owed;
    }

    /** Adds the member's own share of a fine to what they owe. */
    public synchronized void charge(int fine) {
        owed += kind.share(fine);
    }

    /**
     * Takes a payment.
     *
     * @param cents what is handed over
     * @return the change
     */
    public synchronized int pay(int cents) {
        int taken = cents < owed ? cents : owed;
        owed -= taken;
        return cents - taken;
    }

    /** The part of the address after the at sign, to group notices by provider. */
    public String emailDomain() {
        String address = getEmail();
        return address.substring(address.indexOf('@') + 1).toLowerCase();
    }

    /** The colour of the card, so that the desk sees at once whom it deals with. */
    public String cardColour() {
        String colour;
        switch (kind) {
            case CHILD:
                colour = "yellow";
                break;
            default:
                colour = "white";
                break;
            case STAFF:
                colour = "red";
                break;
        }
        return owed == 0 ? colour : colour + " with a dot";
    }

    /** The first letters of the name's parts, for the shelf of reserved items. */
    public String initials() {
        String letters = "";
        boolean start = true;
        for (char c : name.toCharArray()) {
            if (start && Character.isLetter(c)) {
                letters += Character.toUpperCase(c);
            }
            start = c == ' ' || c == '-';
        }
        return letters;
    }

    /** Members are equal when their cards are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Member that && card.equals(that.card);
    }

    @Override
    public int hashCode() {
        return Objects.hash(card);
    }

    @Override
    public String toString() {
        return name + " <" + card + ">";
    }
}
