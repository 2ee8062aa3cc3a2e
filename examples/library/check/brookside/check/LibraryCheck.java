package brookside.check;

import brookside.catalog.Book;
import brookside.catalog.Catalog;
import brookside.catalog.CatalogFormatException;
import brookside.catalog.CatalogReader;
import brookside.catalog.Isbn;
import brookside.catalog.Item;
import brookside.catalog.Magazine;
import brookside.catalog.Orders;
import brookside.catalog.Recording;
import brookside.catalog.Recording.Carrier;
import brookside.catalog.Series;
import brookside.catalog.Shelving;
import brookside.catalog.Spelling;
import brookside.catalog.Subject;
import brookside.house.Programme;
import brookside.house.Reviews;
import brookside.house.Rooms;
import brookside.lending.CivilDate;
import brookside.lending.FineSchedule;
import brookside.lending.HoldQueue;
import brookside.lending.LendingDesk;
import brookside.lending.Loan;
import brookside.lending.LoanPolicy;
import brookside.lending.Member;
import brookside.lending.MemberKind;
import brookside.lending.Outcome;
import brookside.lending.Register;
import brookside.notice.Notice;
import brookside.notice.Notice.Urgency;
import brookside.notice.NoticeWriter;
import brookside.notice.Statistics;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeMap;

/** Exercises every method of the library; throws at the first thing that is wrong. */
public final class LibraryCheck {
    private static int checks;

    public static void main(String[] args) throws Exception {
        // Upper and lower case must not depend on where the check runs.
        Locale.setDefault(Locale.ROOT);
        items();
        catalog();
        dates();
        members();
        lending();
        notices();
        shelves();
        orders();
        register();
        rooms();
        evenings();
        reviews();
        System.out.println("ok: " + checks + " checks");
    }

    private static void items() {
        Isbn isbn = Isbn.parse("0-14-143954-8");
        same("9780141439549", isbn.digits());
        same(isbn, Isbn.parse("978-0-14-143954-9"));
        same("ISBN 978-0141439549", isbn.toString());
        same("0141439548", isbn.toOld());
        same("080442957X", Isbn.parse("0-8044-2957-x").toOld());
        same("0000000000", Isbn.parse("0000000000").toOld());
        same(null, new Isbn("9791234567896").toOld());
        same(true, isbn.compareTo(Isbn.parse("080442957X")) < 0);
        for (String wrong : new String[] {
            "", "0-14-143954-6", "X000000000", "014143954/", "014143954:", "9780141439548",
            "97801414395491", "97801414395:9", "978014143954/", "000000006/", "000000006:",
            "97800000000:2", ":780000000001", "/780000000002"
        }) {
            same(null, Isbn.parse(wrong));
        }
        fails(IllegalArgumentException.class, () -> new Isbn("123"));
        fails(IllegalArgumentException.class, () -> new Isbn("978014143954x"));

        same(Subject.SCIENCE, Subject.ofDewey(512));
        same(Subject.REFERENCE, Subject.ofDewey(99));
        same(Subject.HISTORY, Subject.ofDewey("900.5"));
        same(Subject.LITERATURE, Subject.ofDewey("F"));
        same(Subject.LITERATURE, Subject.ofDewey(823));
        same(null, Subject.ofDewey(150));
        same("science and technology", Subject.SCIENCE.label());
        same("Room 7: history", Subject.signFor(999));
        same(List.of("language", "literature"), Subject.labelsLike("L"));

        Book book = new Book("B1", " The Mill on the Floss ", 1860, isbn, "George Eliot");
        same("The Mill on the Floss", book.getTitle());
        same("mill on the floss", book.sortKey());
        same("the", new Magazine("M", "The ", 1, 1).sortKey());
        same("a", new Magazine("M", "A", 1, 1).sortKey());
        same("atlas", new Magazine("M", "An Atlas", 1, 1).sortKey());
        same("B1: book \"The Mill on the Floss\" (1860) by George Eliot", book.toString());
        same("ELIOT", book.spineLabel());
        same(isbn, book.getIsbn());
        same(21, book.loanDays());
        book.setPages(599);
        same(21, book.loanDays());
        book.setPages(600);
        same(28, book.loanDays());
        same(600, book.getPages());
        fails(IllegalArgumentException.class, () -> book.setPages(-1));
        book.setPages(0);
        same(20, book.dailyFine());
        same(true, book.isLendable());
        same(true, book.addSubject(Subject.ARTS, Subject.REFERENCE, Subject.HISTORY) == book);
        same(true, book.isAbout(Subject.ARTS) && book.isAbout(Subject.HISTORY));
        same(false, book.isAbout(Subject.SOCIETY));
        same(0, book.loanDays());
        same(false, book.isLendable());
        same(null, new Book("B2", "Beowulf", 0, null).mainAuthor());
        same("book \"Beowulf\" by anonymous", new Book("B2", "Beowulf", 0, null).describe());
        same("A, B and C", new Book("B3", "T", 1, null, "A", "B", "C").authorLine());
        same("A and B", new Book("B3", "T", 1, null, "A", "B").authorLine());
        same("PLATO", new Book("B3", "T", 1, null, "Plato").spineLabel());

        same(null, book.getRemark());
        book.setRemark("  spine is loose ");
        same("spine is loose", book.getRemark());
        same("spine i…", book.shortRemark(8));
        same("spine is loose", book.shortRemark(14));
        book.setRemark(" ");
        same(null, book.getRemark());
        book.setRemark(null);
        same(null, book.getRemark());

        Magazine april = new Magazine("M9", "Gramophone", 1998, 4);
        Magazine may = new Magazine("M1", "The Gramophone", 1998, 5);
        Magazine later = new Magazine("M0", "Gramophone", 1999, 1);
        same(4, april.getIssue());
        same(7, april.loanDays());
        same(10, april.dailyFine());
        same("magazine \"Gramophone\" (1998) no. 4", april.describe());
        same(true, april.compareTo(may) < 0 && may.compareTo(april) > 0);
        same(true, may.compareTo(later) < 0);
        same(true, april.compareTo(book) < 0);
        Book early = new Book("B8", "The Waves", 1931, null);
        Book late = new Book("B7", "Waves", 1999, null);
        same(-1, early.compareTo(late));
        same(1, late.compareTo(early));
        same(true, early.compareTo(new Book("B9", "Waves", 1931, null)) < 0);
        same(1931, early.getYear());

        Recording tape = new Recording("R1", "Chess", 1984, Carrier.TAPE, 95);
        same("tape \"Chess\" (1984)", tape.describe());
        same(95, new Recording("R", "x", 1, Carrier.TAPE, 90).play());
        same("2:00", new Recording("R", "x", 1, Carrier.TAPE, 120).runningTime());
        same("tape \"x\" (1)", new Recording("R", "x", 1, Carrier.TAPE, 1).describe());
        same("1:35", tape.runningTime());
        same("1:05", new Recording("R", "x", 1, Carrier.DISC, 65).runningTime());
        same("0:10", new Recording("R", "x", 1, Carrier.DISC, 10).runningTime());
        same(95, tape.play());
        same(90, tape.play());
        same(14, tape.loanDays());
        same(30, tape.dailyFine());
        Recording vinyl = new Recording("R2", "Aja", 1977, Carrier.VINYL, 420);
        same(74, vinyl.play());
        same(7, vinyl.loanDays());
        same(50, vinyl.dailyFine());
        same(List.of(48, 22, 0), List.of(vinyl.play(), vinyl.play(), vinyl.play()));
        same(true, vinyl.isWithdrawn());
        same("record \"Aja\" (1977) [withdrawn]", vinyl.describe());
        same(false, vinyl.isLendable());
        Recording spent = new Recording("R2", "Aja", 1977, Carrier.VINYL, 400);
        same(List.of(75, 50, 25), List.of(spent.play(), spent.play(), spent.play()));
        same(0, spent.play());
        same(true, spent.isWithdrawn());
        Recording disc = new Recording("R3", "Aja", 1977, Carrier.DISC, 400);
        same(99, disc.play());
        same(14, disc.loanDays());

        same(true, tape.equals(tape));
        same(true, tape.equals(new Recording("R1", "Other", 1, Carrier.DISC, 1)));
        same(tape.hashCode(), new Recording("R1", "Other", 1, Carrier.DISC, 1).hashCode());
        same(false, tape.equals(vinyl));
        same(false, tape.equals(null));
        same(false, tape.equals(new Magazine("R1", "Chess", 1984, 1)));
    }

    private static void catalog() throws Exception {
        String text =
                """
                # Brookside
                book; B1; Middlemarch; 1871; 978-0-14-143954-9; George Eliot
                book; B2; Middlemarch; 1871; 0-14-143954-8; George Eliot
                book; B3; "Men; and Boats"; 1889; ; Jerome K. Jerome
                magazine; M1; The Gramophone; 1998; 4

                recording; R1; Middle Ages; 1970; TAPE; 50
                recording; R2; Odd; 1970; DISC
                recording; R3; Odd; 1970; CD; 50
                map; X1; Town; 1900; 1
                book; B1; Again; 1900; -; Nobody
                magazine; M2; Bad; year; 4
                magazine; M3; 1998
                """;
        CatalogReader reader = new CatalogReader();
        Catalog catalog = reader.read(new StringReader(text));
        same(5, catalog.size());
        same(
                List.of(
                        "line 8: bad field in R2",
                        "line 9: bad field in R3",
                        "line 10: unknown kind map",
                        "line 11: this mark is taken",
                        "line 12: bad field in M2",
                        "line 13: five fields expected, found 3"),
                reader.getProblems());
        same("Men; and Boats", catalog.titleOf("B3"));
        same("Jerome K. Jerome", ((Book) catalog.find("B3")).mainAuthor());
        same(0, reader.read(new StringReader("map")).size());
        same("line 1: five fields expected, found 1", reader.getProblems().get(6));
        fails(
                UncheckedIOException.class,
                () ->
                        reader.read(
                                new Reader() {
                                    @Override
                                    public int read(char[] buffer, int from, int count)
                                            throws IOException {
                                        throw new IOException("torn page");
                                    }

                                    @Override
                                    public void close() {}
                                }));
        CatalogFormatException problem = new CatalogFormatException(3, "odd");
        same("line 3: odd", problem.getMessage());
        same(3, problem.getLine());
        same(null, problem.getCause());

        Isbn isbn = Isbn.parse("0141439548");
        same(2, catalog.copiesOf(isbn));
        same(0, catalog.copiesOf(Isbn.parse("080442957X")));
        same("B1", catalog.find(isbn).getShelfMark());
        same(null, catalog.find(Isbn.parse("080442957X")));
        same(null, catalog.find("Z9"));
        same("[B1, B2]", marks(catalog.titlesFrom("Middlem")));
        same("[R1, B1, B2]", marks(catalog.titlesFrom("middle")));
        same("[B3]", marks(catalog.titlesFrom("MEN AND b")));
        same("[]", marks(catalog.titlesFrom("Middlemarch 2")));
        same("[]", marks(catalog.titlesFrom("men andboats")));
        same("[B3]", marks(catalog.titlesFrom("- men;; AND boats -")));
        same("[]", marks(catalog.titlesFrom("men a nd boats")));
        same("B1", catalog.oldest().getShelfMark());
        same(null, new Catalog().oldest());
        same("[M1, B3, R1, B1, B2]", marks(catalog.select(item -> true)));
        same("[B3, B1, B2]", marks(catalog.select(Book.class, book -> book.getYear() < 1900)));
        same("[]", marks(catalog.select(Magazine.class, issue -> issue.getIssue() > 4)));

        catalog.find("B1").setWithdrawn(true);
        same("B2", catalog.find(isbn).getShelfMark());
        List<String> lendable = new ArrayList<>();
        for (Item item : catalog) {
            lendable.add(item.getShelfMark());
        }
        same(List.of("B2", "B3", "M1", "R1"), lendable);
        same(List.of("B1"), catalog.weed());
        same(4, catalog.size());
        same(null, catalog.find("B1"));
        same(1, catalog.copiesOf(isbn));
        same("[B2]", marks(catalog.titlesFrom("Middlem")));
        catalog.find("B2").setWithdrawn(true);
        same(null, catalog.find(isbn));
        Iterator<Item> none = new Catalog().iterator();
        same(false, none.hasNext());
        fails(NoSuchElementException.class, none::next);
        Magazine known = new Magazine("M1", "x", 1, 1);
        same(1, catalog.addAll(List.of(known, new Magazine("M7", "O'Brien's  Own", 2, 2))));
        same("[M7]", marks(catalog.titlesFrom("obriens own")));

        same(3, Spelling.editDistance("kitten", "sitting"));
        same(4, Spelling.editDistance("", "four"));
        same(4, Spelling.editDistance("four", ""));
        same(2, Spelling.editDistance("abcd", "bc"));
        List<String> titles = List.of("Emma", "Middlemarch", "Silas Marner");
        same("Middlemarch", Spelling.nearest("midlemarsh", titles));
        same(null, Spelling.nearest("Beowulf", titles));
        same("Emma", Spelling.nearest("Em123", titles));
        same(null, Spelling.nearest("Em1234", titles));
        same("cat", Spelling.nearest("cat", List.of("cart", "cat", "cats", "cut")));
        same("Did you mean \"Silas Marner\"?", Spelling.didYouMean("silas marnr!", titles));
    }

    private static void dates() {
        CivilDate date = new CivilDate(2020, 2, 28);
        same("2020-02-29", date.next().toString());
        same("2020-03-01", date.plus(2).toString());
        same("2021-01-01", new CivilDate(2020, 12, 31).next().toString());
        same(date, date.plus(0));
        same(366, date.daysUntil(new CivilDate(2021, 2, 28)));
        same(-1, date.daysUntil(new CivilDate(2020, 2, 27)));
        same(0, new CivilDate(1, 1, 1).dayNumber());
        same(737_482, date.dayNumber());
        same(730_485, new CivilDate(2001, 1, 1).dayNumber());
        same("Fri", date.weekday());
        same(true, new CivilDate(2020, 3, 1).isClosed());
        same(false, new CivilDate(2020, 2, 29).isClosed());
        same(true, new CivilDate(2020, 1, 1).isClosed());
        same(false, new CivilDate(2020, 1, 2).isClosed());
        same(false, new CivilDate(2020, 4, 1).isClosed());
        same("[false, true, false, true]", Arrays.toString(new boolean[] {
            CivilDate.isLeap(1900), CivilDate.isLeap(2000), CivilDate.isLeap(2019),
            CivilDate.isLeap(2024)
        }));
        int[] lengths = new int[12];
        for (int month = 1; month <= 12; month++) {
            lengths[month - 1] = CivilDate.daysIn(2021, month);
        }
        same("[31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]", Arrays.toString(lengths));
        same(29, CivilDate.daysIn(2020, 2));
        StringBuilder seasons = new StringBuilder();
        for (int month = 1; month <= 12; month++) {
            seasons.append(new CivilDate(2021, month, 1).season(), 0, 2);
        }
        same("wiwispspspsususuauauauwi", seasons.toString());
        same(date, CivilDate.parse("2020-02-28"));
        for (String wrong : List.of("2021-02-29", "2021-13-01", "2021-0-1", "2021-1-0", "2021-1")) {
            same(null, CivilDate.parse(wrong));
        }
        same(null, CivilDate.parse("a-b-c"));
        same(true, date.compareTo(date.next()) < 0);
    }

    private static void members() {
        Member ada = Member.newCard(MemberKind.ADULT).name("Ada", "Byron-King").build();
        Member bob = Member.newCard(MemberKind.STAFF).name("Bob").email("bob@Brook.Side").build();
        same("A-101", ada.getCard());
        same("X-102", bob.getCard());
        same("Ada Byron-King <A-101>", ada.toString());
        same("ABK", ada.initials());
        same(null, ada.getEmail());
        same("brook.side", bob.emailDomain());
        ada.setEmail("ada@x");
        same("ada@x", ada.getEmail());
        fails(IllegalStateException.class, () -> Member.withCard("A-1").build());
        same(true, ada.equals(Member.withCard("A-101").name("Somebody").build()));
        same(ada.hashCode(), Member.withCard("A-101").name("Somebody").build().hashCode());
        same(false, ada.equals(bob));
        same(MemberKind.ADULT, ada.getKind());
        same(8, ada.getKind().limit());
        same(MemberKind.CHILD, MemberKind.ofLetter('C'));
        same(null, MemberKind.ofLetter('Z'));
        same('S', MemberKind.STUDENT.letter());
        int[] shares = new int[4];
        for (MemberKind kind : MemberKind.values()) {
            shares[kind.ordinal()] = kind.share(250);
        }
        same("[250, 0, 125, 100]", Arrays.toString(shares));
        same("white", ada.cardColour());
        ada.charge(70);
        same("white with a dot", ada.cardColour());
        same("red", bob.cardColour());
        same("yellow", Member.withCard("C").name("C").kind(MemberKind.CHILD).build().cardColour());
        same(70, ada.getOwed());
        same(0, ada.pay(30));
        same(40, ada.getOwed());
        same(10, ada.pay(50));
        same(0, ada.getOwed());

        HoldQueue<String> queue = new HoldQueue<>();
        same(true, queue.isEmpty() && queue.peek() == null);
        fails(NoSuchElementException.class, queue::leave);
        same(true, queue.join("a") && queue.join("b") && !queue.join("a"));
        same("a", queue.leave());
        same(true, queue.join("c") && queue.join("d") && queue.join("e"));
        same(2, queue.position("d"));
        same(-1, queue.position("a"));
        HoldQueue<String> others = new HoldQueue<>();
        others.join("f");
        others.join("c");
        queue.joinAll(others);
        StringBuilder all = new StringBuilder();
        queue.forEach(all::append);
        same("bcdef", all.toString());
        same(5, queue.size());
        same("b", queue.peek());
        same(false, queue.isEmpty());

        FineSchedule steps = new FineSchedule(new int[] {1, 8, 31}, new int[] {100, 150, 200}, 999);
        same(0, steps.fine(0, 20));
        same(140, steps.fine(7, 20));
        same(170, steps.fine(8, 20));
        same(7 * 20 + 23 * 30, steps.fine(30, 20));
        same(7 * 20 + 23 * 30 + 40, steps.fine(31, 20));
        same(999, steps.fine(100, 20));
        same(999, new FineSchedule(new int[] {1}, new int[] {100}, 999).fine(1, 999));
        same(100, FineSchedule.flat(999).fine(1, 100));
        int[] prices = {1, 10, 100, 1000, 10_000};
        FineSchedule steep = new FineSchedule(new int[] {1, 2, 4, 5, 7}, prices, 1_000_000);
        same(1 + 2 * 10 + 100 + 2 * 1000 + 10_000, steep.fine(7, 100));
        same(1 + 2 * 10, steep.fine(3, 100));
        fails(IllegalArgumentException.class, () -> new FineSchedule(new int[0], new int[0], 1));
        fails(IllegalArgumentException.class, () -> new FineSchedule(new int[1], new int[2], 1));
        same("12.05", FineSchedule.money(1205));
        same("-0.30", FineSchedule.money(-30));
        same("0.00", FineSchedule.money(0));
    }

    private static void lending() {
        Catalog catalog = new Catalog();
        catalog.add(new Book("B1", "Emma", 1815, null, "Jane Austen"));
        catalog.add(new Book("B2", "Atlas", 1990, null).addSubject(Subject.REFERENCE));
        catalog.add(new Recording("R1", "Aja", 1977, Carrier.VINYL, 40));
        for (int i = 1; i <= 6; i++) {
            catalog.add(new Magazine("M" + i, "Sight and Sound", 1990, i));
        }
        Member ada = Member.withCard("A-1").name("Ada").build();
        Member ben = Member.withCard("S-2").name("Ben").kind(MemberKind.STUDENT).build();
        Member cat = Member.withCard("C-3").name("Cat").kind(MemberKind.CHILD).build();
        Member dan = Member.withCard("X-4").name("Dan").kind(MemberKind.STAFF).build();

        LoanPolicy student = LoanPolicy.favouring(MemberKind.STUDENT, 1.5, LoanPolicy.byItem());
        same("favouring STUDENT", student.toString());
        LoanPolicy policy = student.atMost(30);
        same(21, policy.days(ada, catalog.find("B1")));
        same(30, policy.days(ben, catalog.find("B1")));
        same(11, policy.days(ben, catalog.find("M1")));
        LendingDesk desk = new LendingDesk(catalog, policy, FineSchedule.flat(300));
        List<String> events = new ArrayList<>();
        desk.addObserver(
                (what, item, who) -> events.add(what + item.getShelfMark() + who.getCard()));
        same("2000-01-01", desk.getToday().toString());
        desk.setToday(new CivilDate(2021, 3, 1));

        same("Sorry: we have no such item", desk.lend("Z", ada).message());
        same("Sorry: this stays in the house", desk.lend("B2", ada).message());
        same("Sorry: this stays in the house", desk.lend("R1", cat).message());
        same("Sorry: this stays in the house", desk.lend("B2", cat).message());
        Outcome lent = desk.lend("B1", ada);
        same("Emma until 2021-03-22", lent.message());
        same(true, lent.isSuccess());
        same("Ada", desk.borrowerOf("B1"));
        same("You are next.", desk.lend("B1", ben).message());
        same(new Outcome.Queued(2), desk.lend("B1", cat));
        same("You are number 2 in the queue.", desk.lend("B1", cat).message());
        same(false, new Outcome.Queued(2).isSuccess());
        fails(IllegalArgumentException.class, () -> new Outcome.Queued(0));
        same("Sorry: somebody waits for it", desk.renew("B1").message());
        same("Sorry: we have no such item", desk.renew("M1").message());
        same(true, desk.lend("B2", dan).isSuccess());

        for (int i = 1; i <= 5; i++) {
            same(true, desk.lend("M" + i, cat).isSuccess());
        }
        same("Sorry: too many items at home", desk.lend("M6", cat).message());
        same(5, desk.loansOf(cat).size());
        Loan first = desk.loansOf(cat).get(0);
        same("M1", first.getItem().getShelfMark());
        // Seven days on it is a Monday; the term of the student below ends on a Friday.
        same("2021-03-08", first.getDue().toString());
        same(true, desk.lend("M6", ben).isSuccess());
        same("2021-03-12", desk.loanOf("M6").getDue().toString());

        desk.setToday(new CivilDate(2021, 3, 7));
        same(cat, first.getMember());
        same("2021-03-15", ((Outcome.Lent) desk.renew("M1")).loan().getDue().toString());
        same(1, first.getRenewals());
        same(false, desk.renew("M1").isSuccess());
        desk.setToday(new CivilDate(2021, 3, 9));
        same(true, desk.renew("M1").isSuccess());
        desk.setToday(new CivilDate(2021, 3, 10));
        same("Sorry: this stays in the house", desk.renew("M1").message());
        same(2, first.getRenewals());
        same(false, desk.renew("M2").isSuccess());
        same(2, desk.loanOf("M2").daysLate(desk.getToday()));
        same(0, desk.loanOf("B1").daysLate(desk.getToday()));
        same(false, desk.loanOf("B1").isLate(desk.getToday()));
        same(1, desk.closeFor(3));
        same("2021-03-13", desk.getToday().toString());
        same(0, desk.closeFor(1));
        same("2021-03-15", desk.getToday().toString());
        Map<String, List<Loan>> late = desk.lateLoans();
        same("[Ben, Cat, Dan]", late.keySet().toString());
        same(4, late.get("Cat").size());
        same("M2", late.get("Cat").get(0).getItem().getShelfMark());

        same(null, desk.giveBack("M6"));
        same(15, ben.getOwed());
        same(null, desk.giveBack("M6"));
        desk.setToday(new CivilDate(2021, 4, 1));
        same(ben, desk.giveBack("B1"));
        same(200, ada.getOwed());
        same("You are number 3 in the queue.", desk.lend("B1", ada).message());
        same(true, desk.lend("B1", ben).isSuccess());
        same("You are number 2 in the queue.", desk.lend("B1", ada).message());
        same("M1", desk.loansOf(cat).get(4).getItem().getShelfMark());
        ada.charge(300);
        same(true, desk.lend("M6", ada).isSuccess());
        ada.charge(1);
        same("Sorry: please pay first", desk.lend("M6", ada).message());
        same(null, desk.loanOf("M7"));
        same("lentB1A-1", events.get(0));
        same("waitsB1S-2", events.get(1));
        same(true, events.contains("backM6S-2"));

        Loan emma = desk.loanOf("B1");
        Loan atlas = desk.loanOf("B2");
        same(true, atlas.compareTo(emma) < 0 && emma.compareTo(atlas) > 0);
        same(true, desk.loanOf("M2").compareTo(desk.loanOf("M3")) < 0);
        same(true, emma.equals(emma));
        same(false, emma.equals(atlas));
        same(false, emma.equals("emma"));
        same(true, emma.hashCode() != atlas.hashCode());
        same(4 * 240L + 160, FineSchedule.flat(999).fine(desk.loansOf(cat), desk.getToday()));

        LendingDesk plain = new LendingDesk(catalog);
        Member eve = Member.withCard("A-5").name("Eve").build();
        plain.setToday(new CivilDate(2021, 3, 7));
        same("Emma until 2021-03-29", plain.lend("B1", eve).message());
        plain.lend("M6", eve);
        Loan[] loans = {plain.loanOf("B1"), plain.loanOf("M6"), null, null, null};
        plain.giveBack("B1");
        plain.lend("B1", dan);
        loans[2] = plain.loanOf("B1");
        plain.setToday(new CivilDate(2021, 6, 1));
        plain.giveBack("B1");
        same(100, dan.getOwed());
        plain.lend("B1", eve);
        loans[3] = plain.loanOf("B1");
        plain.setToday(new CivilDate(2022, 3, 7));
        plain.giveBack("B1");
        same(1000, eve.getOwed());
        plain.setToday(new CivilDate(2021, 3, 7));
        same(0, eve.pay(1000));
        plain.lend("B1", eve);
        loans[4] = plain.loanOf("B1");
        same("[false, false, false, true]", Arrays.toString(new boolean[] {
            loans[0].equals(loans[1]), loans[0].equals(loans[2]), loans[0].equals(loans[3]),
            loans[0].equals(loans[4])
        }));
        same(loans[0].hashCode(), loans[4].hashCode());
        same(false, loans[0].hashCode() == loans[2].hashCode());
        same(false, loans[0].hashCode() == loans[3].hashCode());
    }

    private static void notices() {
        Notice news = new Notice("Ada", "We are open. \n");
        same("We are open.", news.body());
        same("Dear Ada,", news.salutation());
        same("A reminder. Dear Ada,", news.escalate().salutation());
        Notice last = news.escalate().escalate().escalate();
        same("For the last time. Please read this. A reminder. Dear Ada,", last.salutation());
        same(last, last.escalate());
        same(true, last.compareTo(news) < 0);
        same(true, news.compareTo(new Notice("Ben", "")) < 0);
        same(Urgency.WARNING, Urgency.REMINDER.next());

        Catalog catalog = new Catalog();
        catalog.add(new Book("B1", "Emma", 1815, null));
        catalog.add(new Book("B2", "Mansfield Park and others", 1814, null));
        catalog.add(new Magazine("M1", "Opera", 1990, 1));
        LendingDesk desk = new LendingDesk(catalog);
        desk.setToday(new CivilDate(2021, 3, 1));
        Member ada = Member.withCard("A-1").name("Ada").build();
        Member ben = Member.withCard("A-2").name("Ben").build();
        desk.lend("B1", ben);
        desk.lend("B2", ada);
        desk.lend("M1", ada);
        NoticeWriter writer = new NoticeWriter(FineSchedule.flat(1000), 40);
        same(0, writer.warnings(desk).size());
        desk.setToday(new CivilDate(2021, 3, 24));
        List<Notice> notices = writer.warnings(desk);
        same(2, notices.size());
        same(Urgency.WARNING, notices.get(0).urgency());
        same(Urgency.REMINDER, notices.get(1).urgency());
        same(
                "Opera                2021-03-08    1.60\nMansfield Park and o 2021-03-22    0.40",
                notices.get(0).body());
        desk.setToday(new CivilDate(2021, 5, 7));
        same(Urgency.WARNING, writer.warnings(desk).get(1).urgency());
        same(Urgency.WARNING, urgencyAfter(writer, desk, 60));
        same(Urgency.LAST_WARNING, urgencyAfter(writer, desk, 61));
        same(Urgency.REMINDER, urgencyAfter(writer, desk, 14));
        same(Urgency.WARNING, urgencyAfter(writer, desk, 15));
        same(
                """
                A reminder. Dear Ada,

                We are open.

                Yours,
                the library
                """,
                writer.letter(news.escalate()));

        same(List.of("one two", "three"), NoticeWriter.wrap("one two three", 7));
        same(List.of("abc", "defg", "h i"), NoticeWriter.wrap("abc defgh i", 4));
        same(List.of("a", "", "b", ""), NoticeWriter.wrap("a \n\nb\n", 4));
        same(List.of("abcd", "efgh", "i"), NoticeWriter.wrap("abcd efgh i", 4));
        same(List.of("ab c", "de"), NoticeWriter.wrap("ab c de", 4));
        same(List.of("ab", "cd e"), NoticeWriter.wrap("ab cd e", 4));
        same(List.of("a", "bcde", "f"), NoticeWriter.wrap("a bcdef", 4));
        same("- You are number 2 in the queue.", NoticeWriter.screen(new Outcome.Queued(2)));
        same("- You are number 3 in the queue.", NoticeWriter.screen(new Outcome.Queued(3)));
        same("… You are number 4 in the queue.", NoticeWriter.screen(new Outcome.Queued(4)));
        same("+ Opera until 2021-03-08", NoticeWriter.screen(new Outcome.Lent(desk.loanOf("M1"))));

        Map<Integer, Integer> lengths =
                Statistics.countBy(List.of("a", "bb", "cc", "d", "eee"), String::length);
        same(Map.of(1, 2, 2, 2, 3, 1), lengths);
        same(List.of(1, 2), Statistics.top(lengths, 2));
        same(List.of(1, 2, 3), Statistics.top(lengths, 9));
        Map<String, Integer> votes = new TreeMap<>(Map.of("a", 1, "b", 5, "c", 5, "d", 7));
        same(List.of("d", "b", "c", "a"), Statistics.top(votes, 9));
        same(2.0, Statistics.median(9, 1, 2));
        same(2.5, Statistics.median(1, 3, 2, 9));
        fails(IllegalArgumentException.class, Statistics::median);
        same(1.5, Statistics.mean(List.of("a", "bb"), String::length));
        same(0.0, Statistics.mean(List.<String>of(), String::length));
        same("##\n####\n\n", Statistics.bars(new int[] {1, 2, 0}, 4));
        same("####\n", Statistics.bars(new int[] {1}, 4));
        same(0, Statistics.firstQuietWeek(new int[][] {{0}, {0}}));
        same(1, Statistics.firstQuietWeek(new int[][] {{0, 1}, {0, 0}, {0, 0}}));
        same(-1, Statistics.firstQuietWeek(new int[][] {{1, 0}, {0, 2}}));
    }

    private static void shelves() {
        Shelving shelving = new Shelving();
        shelving.put("A", new Shelving.Shelf(1, "the hall", 2.5));
        shelving.put("Mid", new Shelving.Shelf(2, "the hall", 4));
        shelving.put("S", new Shelving.Shelf(3, "the attic", 3));
        same(3, shelving.size());
        Book waves = new Book("B1", "The Waves", 1931, null, "Virginia Woolf");
        Book middle = new Book("B2", "Middlemarch", 1871, null, "George Eliot");
        same("shelf 3, the attic", shelving.signFor(waves));
        same("shelf 2, the hall", shelving.signFor(middle));
        same(null, shelving.shelf(4));
        same("the attic", shelving.roomOf(3));
        same("the stacks", shelving.roomOf(4));
        same(87, shelving.capacity(1));
        Shelving.Shelf other = new Shelving.Shelf(9, "the attic", 1);
        same(true, shelving.sameRoom(other, 3) && !shelving.sameRoom(other, 1));
        same("Mid", shelving.nextBegins("Beowulf"));
        same("shelf 3, the attic", shelving.placeOf(waves));
        shelving.move(waves, "the window");
        same("the window", shelving.placeOf(waves));
        same("The Waves → THE WINDOW", shelving.standIn(waves));
        same(4.0, shelving.widest("the hall"));
        same(List.of("the hall", "the attic"), shelving.rooms());
        same(1, shelving.removeFirst());
        same(2, shelving.size());

        Series series = new Series("Collected novels");
        same("Collected novels", series.getTitle());
        same(null, series.thickest());
        same(List.of(), series.missing());
        middle.setPages(800);
        waves.setPages(200);
        same(true, series.add(1, middle));
        same(false, series.add(1, waves));
        same(true, series.add(4, waves));
        same(middle, series.volume(1));
        same(null, series.volume(2));
        same(waves, series.after(1));
        same(null, series.after(4));
        same(4, series.lastNumber());
        same("now read The Waves", series.recommend(1));
        same("that was the last one", series.recommend(4));
        same(21, series.daysForNext(2));
        same(60, series.pause(1));
        same(0, series.pause(4));
        same(true, series.isLendable(1) && !series.isLendable(2));
        same(List.of(2, 3), series.missing());
        same("George Eliot", series.author());
        same("4. The Waves, 200 p.", series.line(4));
        same(middle, series.thickest());
        same(3, series.fitting(2500));
        same("Middlemarch", series.startWith());
        series.setCompanion(waves);
        same("The Waves", series.startWith());
    }

    private static void orders() {
        Orders orders = new Orders();
        same(null, orders.cheapest());
        Orders.Supplier north = orders.add(new Orders.Supplier("North & Co", 10, "Mr North"));
        orders.add(new Orders.Supplier("Southern", 25, null));
        Orders.Order waves = orders.wish("The Waves", 2000);
        Orders.Order emma = orders.wish("Emma", 1000);
        orders.wish("Ulysses", 3000);
        same("waiting", orders.state("Emma"));
        same("next: The Waves", orders.agenda());
        same(false, orders.place("Emma", "Eastern") || orders.place("Dracula", "Southern"));
        same(true, orders.place("The Waves", "North & Co"));
        same("ordered", orders.state("The Waves"));
        same("unknown", orders.state("Dracula"));
        same(north, waves.supplier());
        same(1800, waves.price());
        same("Emma", emma.title());
        same("Emma", orders.placeNext());
        same("Southern", orders.anyWith(20));
        same(250, orders.saving(1000));
        same(1800, orders.pay("The Waves"));
        same(2550, orders.pay("Emma"));
        same("Mr North", orders.contactFor("The Waves"));
        same("the desk", orders.contactFor("Ulysses"));
        same("NOR", orders.parcelMark("North & Co"));
        same(null, orders.order("Dracula"));
        same(null, orders.supplier("Eastern"));
        same(true, waves.isPlaced());
        waves.cancel();
        same(false, waves.isPlaced());
    }

    private static void register() {
        Register register = new Register();
        same("", register.welcome());
        CivilDate march = new CivilDate(2021, 3, 8);
        Member ann = Member.withCard("A-1").name("Ann Lee").build();
        Member tim = Member.withCard("C-2").name("Tim Lee").kind(MemberKind.CHILD).build();
        register.add(ann, march);
        register.add(tim, march.plus(10));
        same(2, register.size());
        same("Welcome, Tim Lee", register.welcome());
        same(ann, register.find("A-1"));
        same(null, register.find("A-9"));
        same(tim, register.findByName("tim lee"));
        same(null, register.findByName("Tom"));
        same(ann, register.findAny("A-1"));
        same("Hello Tim Lee", register.greet("Tim Lee"));
        same(null, register.guardianOf(tim));
        same(false, register.isTrusted(tim));
        register.setGuardian(tim, ann);
        same(ann, register.guardianOf(tim));
        same(true, register.isTrusted(tim));
        same("Ann Lee", register.addressee(ann));
        same("the parents of Tim Lee, Ann Lee", register.addressee(tim));
        same(80, register.chargeGuardian(tim, 80));
        same(80, register.owedBy("A-1"));
        same(0, register.owedBy("A-9"));
        same("Ann Lee", register.worstPayer(MemberKind.ADULT));
        same(30, register.daysOf(ann, march.plus(30)));
        same(null, register.seasonOf("A-9"));
        same("since SPRING", register.badge("A-1"));
        same("child", Register.kindOf("C-2"));
        same(true, Register.isOurs("S-1"));
        same(false, Register.isOurs("Z-1") || Register.isOurs(""));
        same(3, Register.daysSince(march, " 2021-03-11 "));
        same(List.of(tim), register.ofKind(MemberKind.CHILD));
        same("Ann Lee", register.remove("A-1"));
        same(1, register.size());
    }

    private static void rooms() {
        Rooms rooms = new Rooms();
        Rooms.Room study = rooms.add("the study", 4, 12);
        Rooms.Room hall = rooms.add("the hall", 40, null);
        Member ann = Member.withCard("A-1").name("Ann Lee").build();
        CivilDate monday = new CivilDate(2021, 3, 8);
        same(study, rooms.room("the study"));
        same(null, rooms.room("the attic"));
        same(40, rooms.seats("the hall"));
        same(hall, rooms.smallestFor(5));
        same(null, rooms.smallestFor(41));
        same("How about the study?", rooms.propose(4));
        same(true, rooms.canSeat(40) && !rooms.canSeat(41));
        same("the study on " + monday + " for Ann Lee <A-1>",
                rooms.receipt("the study", monday, ann, 3));
        same(null, rooms.book("the study", monday, ann, 1));
        same(null, rooms.book("the attic", monday, ann, 1));
        same(true, rooms.bookAny(monday, ann, 20));
        same(false, rooms.bookAny(monday, ann, 99) || rooms.bookAny(monday, ann, 30));
        same(new Rooms.Booking(study, monday, ann, 3), rooms.find(study, monday));
        same(null, rooms.find(study, monday.next()));
        same(true, new Rooms.Booking(study, monday, ann, 4).fits());
        same(false, new Rooms.Booking(study, monday, ann, 5).fits());
        same("the hall: Ann Lee", rooms.doorSign(hall, monday));
        same(2, rooms.taken(monday));
        same(0, rooms.taken(monday.next()));
        same(23, rooms.visitors(monday));
        same(7, rooms.daysUntilNext(new CivilDate(2021, 3, 1)));
        same("Ann Lee", rooms.nextVisitor(monday));
        same("nobody", rooms.nextVisitor(monday.next()));
        same("Mon 2021-03-08", rooms.lastDay());
    }

    private static void evenings() throws IOException {
        Programme programme = new Programme();
        Programme.Evening sea = programme.add("Songs of the sea", "2021-04-02", "Nan Shore");
        Programme.Evening tea = programme.add("Tea", "2021-03-20", "A. Leaf").costs(500);
        same(null, programme.add("Never", "2021-13-01"));
        same(2, programme.read(new StringReader(
                " spring \n2021-05-01 Chess\nsoon Cards\nDice\n2021-06-01 More tea\n")));
        same("Tea, 5 a head", programme.poster());
        same("Shore", sea.guestName());
        same(null, sea.price());
        same(500, tea.price());
        same(null, sea.costs(0).price());
        same("free", sea.priceLine());
        same(sea, programme.find("Songs of the sea"));
        same(null, programme.find("Dice"));
        same(30, programme.daysUntil("Chess (spring)", new CivilDate(2021, 4, 1)));
        same(true, programme.hasGuest("Tea"));
        same(false, programme.hasGuest("Chess (spring)") || programme.hasGuest("Dice"));
        same('L', Programme.tableLetter(tea));
        same(0, programme.takings(tea));
        programme.sell(tea, 3);
        programme.sell(tea, 4);
        same(7, programme.seatsSold(tea));
        same(3500, programme.takings(tea));
        same(3, programme.free().size());
        same("Tea", programme.dearest());
        same("Tea", programme.close());
        same("Songs of the sea, free", programme.poster());
    }

    private static void reviews() {
        Catalog catalog = new Catalog();
        Isbn isbn = new Isbn("9780141439549");
        Book book = new Book("B1", "Middlemarch", 1871, isbn, "George Eliot");
        catalog.add(book);
        Reviews reviews = new Reviews(catalog);
        Reviews.Review good = new Reviews.Review("Ann", 5, "Long,\nbut never too long.");
        Reviews.Review silent = new Reviews.Review("Tim", 2, " ");
        same(null, reviews.best("B1"));
        same(false, reviews.add("B9", good));
        same(true, reviews.add("B1", silent) && reviews.addOnce("B1", good));
        same(false, reviews.addOnce("B1", good));
        same(List.of(silent, good), reviews.of("B1"));
        same(null, reviews.of("B9"));
        same(2, reviews.count("B1"));
        same(0, reviews.count("B9"));
        same(3.5, reviews.mean("B1"));
        same(3.5, reviews.mean("B1"));
        same(good, reviews.best("B1"));
        same("Middlemarch: *****", reviews.card(book));
        same("Long,", good.headline());
        same("Fine", new Reviews.Review("Tim", 4, "Fine").headline());
        same(null, new Reviews.Review("Tim", 4, null).headline());
        same("Lon", reviews.quote(good, 3));
        same("Long,", reviews.quote(good, 5));
        same(true, Reviews.isWorded(good) && !Reviews.isWorded(silent));
        same(silent, reviews.by("Tim", "B1"));
        same(null, reviews.by("Tom", "B1"));
        same(3, reviews.difference("B1", good, "Tim"));
        same("Middlemarch", reviews.circleTitle("978-0-14-143954-9"));
        same("?", reviews.circleTitle("978"));
        same(10, Reviews.oldNumberLength(isbn));
        same(false, Reviews.isAfter(isbn, "080442957X") || Reviews.isAfter(isbn, "?"));
    }

    /** The most urgent notice when the magazine is so many days late. */
    private static Urgency urgencyAfter(NoticeWriter writer, LendingDesk desk, int days) {
        desk.setToday(new CivilDate(2021, 3, 8).plus(days));
        return writer.warnings(desk).get(0).urgency();
    }

    private static String marks(List<? extends Item> items) {
        return items.stream().map(Item::getShelfMark).toList().toString();
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
