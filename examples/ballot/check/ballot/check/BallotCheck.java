package ballot.check;

import ballot.count.CountingRule;
import ballot.count.Pairwise;
import ballot.count.Plurality;
import ballot.count.Runoff;
import ballot.count.Seats;
import ballot.count.Tally;
import ballot.paper.Candidate;
import ballot.paper.Paper;
import ballot.paper.PaperReader;
import ballot.paper.Party;
import ballot.report.Archive;
import ballot.report.Bulletin;
import ballot.roll.Roll;
import ballot.roll.Voter;
import ballot.roll.Ward;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Exercises every method of the town's elections; throws at the first thing that is wrong. */
public final class BallotCheck {
    private static final String TOWN =
            """
            + G1 Ann Hill
            + H1 Bob Quay
            + M1 Cleo Stall
            + X1 Nobody Known
            + G2

            4 x G1 > H1
            3 x H1 > M1 > G1
            2 x M1 > H1
            M1 > M1
            5 x Z9
            0 x G1
            a x G1
             >
            """;

    private static int checks;

    public static void main(String[] args) throws Exception {
        // Upper and lower case must not depend on where the check runs.
        Locale.setDefault(Locale.ROOT);
        rolls();
        papers();
        tallies();
        rules();
        seats();
        reports();
        System.out.println("ok: " + checks + " checks");
    }

    private static void rolls() {
        Voter ann = new Voter(1, "Ann Mary Hill", "North", 1950);
        Voter bob = new Voter(2, "Bob Quay", "North", 2001);
        Voter kid = new Voter(5, "Kit Quay", "South", 2010);
        for (int year = 2010; year <= 2030; year++) {
            same(year >= 2019, bob.mayVoteIn(year));
            same(year >= 2028, kid.mayVoteIn(year));
        }
        same("Hill", ann.lastName());
        same("Plato", new Voter(9, "Plato", "North", 1900).lastName());
        same(true, ann.compareTo(bob) < 0 && kid.compareTo(bob) > 0);
        same(7, bob.withProxy(7).proxy());

        Ward north = new Ward("North", 3);
        same("North", north.getName());
        same(3, north.getSeats());
        same(false, north.isReady());
        north.setStation(" ");
        same(null, north.getStation());
        north.setStation(" the school");
        same(true, north.isReady());
        same("the school, 8 to 18", north.cardLine());
        same("usual hours", north.shift());
        for (int hour = 0; hour < 24; hour++) {
            same(hour >= 8 && hour <= 17, north.isOpenAt(hour));
        }
        north.setHours(0, 24);
        same("all day", north.shift());
        north.setHours(9, 12);
        same("3 hours", north.shift());
        fails(IllegalArgumentException.class, () -> north.setHours(9, 9));
        fails(IllegalArgumentException.class, () -> north.setHours(-1, 9));
        fails(IllegalArgumentException.class, () -> north.setHours(9, 25));

        Roll roll = new Roll();
        same(north, roll.add(north));
        same(true, roll.add(ann) && roll.add(bob) && roll.add(kid) && !roll.add(ann));
        same(3, roll.size());
        same(bob, roll.voter(2));
        same(null, roll.voter(3));
        same(north, roll.ward("North"));
        same(null, roll.ward("South"));
        same("2, Bob Quay", roll.call(2));
        same(" the school", roll.stationOf(ann));
        same(true, roll.isOpenFor(ann, 9));
        same(false, roll.isOpenFor(ann, 8) || roll.isOpenFor(kid, 9));
        same(true, roll.vote(1, 2024));
        same(false, roll.vote(1, 2024) || roll.vote(5, 2024) || roll.vote(3, 2024));
        same(true, roll.hasVoted(ann) && !roll.hasVoted(bob));
        same(null, roll.proxyOf(ann));
        same(bob, roll.proxyOf(ann.withProxy(2)));
        same("Ann Mary Hill", roll.handedInBy(ann));
        same("Bob Quay for Ann Mary Hill", roll.handedInBy(ann.withProxy(2)));
        same(false, roll.isProxyFar(ann.withProxy(2)));
        same(true, roll.isProxyFar(ann.withProxy(5)));
        same(3, roll.freeAfter(1));
        same(6, roll.freeAfter(4));
        same("Kit Quay", roll.nextName(2));
        same(List.of(ann, bob), roll.of("North"));
        same(50, roll.turnout("North"));
        same(0, roll.turnout("West"));
        same("Ann Mary Hill", roll.oldest("North"));
    }

    private static void papers() throws IOException {
        same(Party.HARBOUR, Party.ofLetter("H"));
        same(null, Party.ofLetter("X"));
        same("Green Hills", Party.titleOf("G"));
        same("[Green, Harbour, Market, independent]",
                Arrays.stream(Party.values()).map(Party::shortName).toList().toString());
        Candidate ann = new Candidate("G1", "Ann Hill", Party.GREEN, "baker and miller");
        same("(baker and miller)", ann.jobLine());
        same(18, ann.width());
        same("Ann Hill\n(baker and miller)", ann.print());
        Candidate bob = new Candidate("H1", "Bob Quay", Party.HARBOUR);
        same(null, bob.jobLine());
        same("Bob Quay", bob.print());
        fails(IllegalArgumentException.class, () -> new Candidate("", "Nobody", Party.NONE));

        Paper paper = new Paper("G1", "H1", "M1");
        same("G1 > H1 > M1", paper.toString());
        same(false, paper.isBlank() || paper.isSpoilt());
        same(true, new Paper().isBlank() && new Paper("A", "B", "A").isSpoilt());
        same("H1", paper.firstOf(Set.of("M1", "H1")));
        same(null, paper.firstOf(Set.of("X")));
        same("H", paper.letter(Set.of("M1", "H1")));
        same(2, paper.rank("H1"));
        same(0, paper.rank("X"));
        same(true, paper.prefers("G1", "M1") && paper.prefers("M1", "X"));
        same(false, paper.prefers("M1", "G1") || paper.prefers("X", "G1"));
        same(new Paper(List.of("G1", "H1", "M1")), paper);
        same(paper.hashCode(), new Paper(List.of("G1", "H1", "M1")).hashCode());
        List<String> ids = new ArrayList<>();
        paper.forEach(ids::add);
        same(List.of("G1", "H1", "M1"), ids);

        PaperReader reader = new PaperReader();
        reader.read(new StringReader(TOWN));
        same(3, reader.candidates().size());
        same(11, reader.papers().size());
        same(5, reader.bad());
        same("Spring", PaperReader.readTitle(new BufferedReader(new StringReader(" Spring \n"))));
        same(new Paper("H1", "G1"), reader.parse("H1>  G1 >"));
        same(null, reader.parse("H1 > Q"));
        same(2, reader.rank("G1", "H1 > G1"));
        same("Cleo Stall", reader.nameOf("M1"));
        same(null, reader.candidate("M2"));
        same(Party.MARKET, reader.partyOf("M1"));
        same(Party.NONE, reader.partyOf("M2"));
    }

    private static void tallies() {
        Tally<String> tally = new Tally<>();
        same(null, tally.winner());
        same(null, tally.last());
        same(0, tally.share("a"));
        same(false, tally.hasMajority());
        tally.add("b", 3);
        tally.add("a", 3);
        same(null, tally.winner());
        same(false, tally.hasMajority());
        tally.add("a", 2);
        tally.add("c", 1);
        same(9, tally.total());
        same(5, tally.of("a"));
        same(0, tally.of("d"));
        same(2, tally.lead("a", 3));
        same(List.of("a", "b", "c"), tally.ranking());
        same("a", tally.winner());
        same("c", tally.last());
        same(556, tally.share("a"));
        same(111, tally.share("c"));
        same(true, tally.hasMajority());
        same("a!", tally.proclaim());
        tally.add("c", 1);
        same(false, tally.hasMajority());
    }

    private static void rules() throws IOException {
        PaperReader reader = new PaperReader();
        reader.read(new StringReader(TOWN));
        List<Paper> papers = CountingRule.valid(reader.papers());
        same(9, papers.size());
        Set<String> standing = new TreeSet<>(reader.candidates().keySet());
        Plurality plurality = new Plurality();
        Runoff runoff = new Runoff();
        Pairwise pairwise = new Pairwise();
        same("G1", plurality.winner(papers, standing));
        same("first past the post", plurality.title());
        same(0, plurality.margin(papers, standing));
        same(4, plurality.margin(papers, Set.of("G1")));
        same(0, plurality.margin(List.of(), standing));
        same(null, runoff.firstOut());
        same("H1", runoff.winner(papers, standing));
        same("instant runoff", runoff.title());
        same(List.of("M1"), runoff.eliminated());
        same("M1", runoff.firstOut());
        same("left out first: m1", runoff.minutes());
        same('H', runoff.winningLetter(papers, standing));
        same(null, runoff.winner(List.of(), standing));
        same(List.of("M1", "H1", "G1"), runoff.eliminated());
        same("H1", pairwise.winner(papers, standing));
        same("each against each", pairwise.title());
        same(1, Pairwise.duel(papers, "H1", "G1"));
        same(-1, Pairwise.duel(papers, "G1", "H1"));
        same(0, Pairwise.duel(papers, "G1", "G1"));
        same(null, pairwise.winner(List.of(), standing));
        same("[[0, -1, -1], [1, 0, 5], [1, -5, 0]]",
                Arrays.deepToString(pairwise.table(papers, List.copyOf(standing))));
        same("M1", pairwise.easiest(papers, "H1", standing));
        same(null, pairwise.easiest(papers, "G1", standing));
        same("H1 beats M1", pairwise.boast(papers, "H1", standing));
        same(true, runoff.agrees(pairwise, papers, standing));
        same(false, plurality.agrees(runoff, papers, standing));
        same(false, pairwise.agrees(runoff, List.of(), standing));
    }

    private static void seats() {
        Tally<Party> votes = new Tally<>();
        votes.add(Party.GREEN, 5300);
        votes.add(Party.HARBOUR, 2400);
        votes.add(Party.MARKET, 1800);
        votes.add(Party.NONE, 500);
        Seats dhondt = new Seats(Seats.Rule.DHONDT);
        same(null, dhondt.lastServed());
        same(0, dhondt.withdraw());
        dhondt.share(votes, 8, 0);
        same("[5, 2, 1, 0]",
                Arrays.stream(Party.values()).map(dhondt::of).toList().toString());
        same(Party.GREEN, dhondt.lastServed());
        same("the last seat goes to Green Hills", dhondt.lastSeat());
        same(true, dhondt.rules(Party.GREEN) && !dhondt.rules(Party.HARBOUR));
        same(0b111, dhondt.present());
        same("GGGGG", dhondt.bar(Party.GREEN));
        same("", dhondt.bar(Party.NONE));
        same(4, dhondt.withdraw());
        Seats fair = new Seats(Seats.Rule.SAINTE_LAGUE);
        fair.share(votes, 8, 0);
        same("[4, 2, 2, 0]", Arrays.stream(Party.values()).map(fair::of).toList().toString());
        Seats strict = new Seats(Seats.Rule.DHONDT);
        strict.share(votes, 3, 200);
        same("[2, 1, 0, 0]", Arrays.stream(Party.values()).map(strict::of).toList().toString());
        same(0b011, strict.present());
        Seats none = new Seats(Seats.Rule.DHONDT);
        none.share(votes, 3, 900);
        same(0, none.present());
    }

    private static void reports() throws IOException {
        Archive archive = new Archive()
                .add(2012, "Ann Hill", 61).add(2016, null, 40).add(2020, "Bob Quay", 61);
        Archive.Entry latest = new Archive.Entry(2024, "Cleo Stall", 70);
        same("CLEO STALL", latest.headline());
        same(null, new Archive.Entry(2016, null, 40).headline());
        same(null, archive.of(2013));
        same(new Archive.Entry(2020, "Bob Quay", 61), archive.of(2020));
        same("Ann Hill", archive.mayorIn(2015));
        same(null, archive.mayorIn(2011));
        same("Mayor Quay", archive.sign(2023));
        same(true, archive.wasMayor("Ann Hill", 2014));
        same(false, archive.wasMayor("Ann Hill", 2016) || archive.wasMayor("Ann Hill", 2021));
        same(9, archive.change(latest, 2012));
        same(true, archive.hasYear(2016) && !archive.hasYear(2017));
        same(10, Archive.width(latest));
        same(3, archive.wait(2013));
        same(0, archive.wait(2012));
        same(2020, archive.bestYear());
        same(true, Archive.isDue(2024) && !Archive.isDue(2023) && !Archive.isDue(2100));

        PaperReader reader = new PaperReader();
        reader.read(new StringReader(TOWN));
        Bulletin bulletin = new Bulletin(reader, 14);
        same("Ann Hill.....4", bulletin.row("G1", 4));
        same("Z9..........12", bulletin.row("Z9", 12));
        same("first past the post\nAnn Hill.....4\nBob Quay.....3\nCleo Stall...2\n"
                + "elected: Ann Hill\n", bulletin.page(new Plurality()));
        same(true, bulletin.page(new Pairwise()).endsWith("elected: Bob Quay\n"));
        same(true, new Bulletin(new PaperReader(), 9).page(new Runoff())
                .endsWith("elected: nobody\n"));
        same("[G]", bulletin.winnerMark(new Plurality()));
        fails(NullPointerException.class, () -> new Bulletin(null, 9));
        String[] greetings = {
            "Thank you for standing.", "You have won.", "You came second.",
            "You came in at place 3."
        };
        for (int rank = 0; rank < greetings.length; rank++) {
            same(greetings[rank], Bulletin.greeting(rank, false));
        }
        same("You share the first place.", Bulletin.greeting(1, true));
        same("You came second, not alone.", Bulletin.greeting(2, true));
        same("More came than ever. 2 papers were spoilt. There was no choice.",
                Bulletin.remarks(90, 2, 0, 1, 10));
        same("Few came. 1 papers were blank. The hours were short.",
                Bulletin.remarks(19, 0, 1, 2, 5));
        same("", Bulletin.remarks(50, 0, 0, 2, 10));
        same(400, Bulletin.printCost(100, false, false, false));
        same(4200, Bulletin.printCost(101, true, true, true));
        same("[1, 1, 9]", Arrays.toString(Bulletin.kinds(reader.papers())));
        Candidate ann = new Candidate("G1", "Ann Hill", Party.GREEN);
        same(5, Bulletin.jobLength(Map.of("G1", "baker"), ann));
    }

    private static void same(Object expected, Object actual) {
        checks++;
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(
                    "check " + checks + ": expected " + expected + ", got " + actual);
        }
    }

    private static void fails(Class<? extends Exception> expected, Runnable action) {
        checks++;
        try {
            action.run();
        } catch (RuntimeException thrown) {
            if (expected.isInstance(thrown)) {
                return;
            }
            throw new AssertionError("check " + checks + ": expected " + expected, thrown);
        }
        throw new AssertionError("check " + checks + ": expected " + expected + ", nothing thrown");
    }
}
