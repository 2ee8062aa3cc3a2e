package brookside.lending;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All members, found by card or by name, with the grown-ups who answer for children. */
public class Register {
    private final Map<String, Member> byCard = new TreeMap<>();
    private final Map<String, String> guardians = new HashMap<>();
    private final Map<String, CivilDate> joined = new HashMap<>();
    private Member latest;

    /** Adds a member on a day. */
    public Member add(Member member, CivilDate day) {
        byCard.put(member.getCard(), member);
        joined.put(member.getCard(), day);
        latest = member;
        return member;
    }

    public int size() {
        return byCard.size();
    }

    /** The member with a card; {@code null} if the card is not known. */
    public Member find(String card) {
        return byCard.get(card);
    }

    /** The first member with a name, whatever its case; {@code null} if nobody is called so. */
    public Member findByName(String name) {
        for (Member member : byCard.values()) {
            if (member.getName().equalsIgnoreCase(name)) {
                return member;
            }
        }
        return null;
    }

    /** Finds a member by whatever they say: their card or their name. */
    public Member findAny(String said) {
        Member member = find(said);
        return member != null ? member : findByName(said);
    }

    /** How the desk greets somebody. */
    public String greet(String said) {
        return "Hello " + findAny(said).getName();
    }

    /** What somebody owes; nobody owes nothing. */
    public int owedBy(String card) {
        Member member = find(card);
        return member == null ? 0 : member.getOwed();
    }

    /** Lets a grown-up answer for a child. */
    public void setGuardian(Member child, Member guardian) {
        guardians.put(child.getCard(), guardian.getCard());
    }

    /** Who answers for a child; {@code null} if nobody does. */
    public Member guardianOf(Member child) {
        String card = guardians.get(child.getCard());
        return card == null ? null : find(card);
    }

    /** To whom letters about a member go. */
    public String addressee(Member member) {
        if (member.getKind() != MemberKind.CHILD) {
            return member.getName();
        }
        Member guardian = guardianOf(member);
        return "the parents of " + member.getName() + ", " + guardian.getName();
    }

    /** Tells whether a child's guardian has paid everything. */
    public boolean isTrusted(Member child) {
        Member guardian = guardianOf(child);
        return guardian != null && guardian.getOwed() == 0;
    }

    /** Charges whoever answers for a child. */
    public int chargeGuardian(Member child, int fine) {
        Member payer = guardianOf(child);
        payer.charge(fine);
        return payer.getOwed();
    }

    /** How many days somebody has been a member. */
    public int daysOf(Member member, CivilDate today) {
        CivilDate since = joined.get(member.getCard());
        return since.daysUntil(today);
    }

    /** The season in which somebody joined; {@code null} if the register does not know. */
    public String seasonOf(String card) {
        CivilDate day = joined.get(card);
        return day == null ? null : day.season();
    }

    /** The season in which somebody joined, as a word on a badge. */
    public String badge(String card) {
        return "since " + seasonOf(card).toUpperCase();
    }

    /** Takes a member out and tells who it was. */
    public String remove(String card) {
        Member gone = byCard.remove(card);
        guardians.values().remove(card);
        return gone.getName();
    }

    /** The kind of card somebody shows. */
    public static String kindOf(String card) {
        MemberKind kind = MemberKind.ofLetter(card.charAt(0));
        return kind.name().toLowerCase();
    }

    /** Tells whether a card begins like any that the house prints. */
    public static boolean isOurs(String card) {
        return !card.isEmpty() && MemberKind.ofLetter(card.charAt(0)) != null;
    }

    /** The day on which a form was signed, counted as days since another one. */
    public static int daysSince(CivilDate before, String form) {
        CivilDate signed = CivilDate.parse(form.strip());
        return before.daysUntil(signed);
    }

    /** The members of a kind, by card. */
    public List<Member> ofKind(MemberKind kind) {
        List<Member> found = new ArrayList<>();
        for (Member member : byCard.values()) {
            if (member.getKind() == kind) {
                found.add(member);
            }
        }
        return found;
    }

    /** Who owes most of a kind. */
    public String worstPayer(MemberKind kind) {
        Member worst = null;
        int most = 0;
        for (Member member : ofKind(kind)) {
            if (member.getOwed() > most) {
                worst = member;
                most = member.getOwed();
            }
        }
        return worst.getName();
    }

    /** Welcomes whoever joined last; nobody, if nobody did. */
    public String welcome() {
        return latest == null ? "" : "Welcome, " + latest.getName();
    }
}
