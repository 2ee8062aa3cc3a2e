package tramway.check;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Objects;
import tramway.board.Alerts;
import tramway.board.Alerts.Severity;
import tramway.board.DepartureBoard;
import tramway.board.Headways;
import tramway.fares.FareTable;
import tramway.fares.Passenger;
import tramway.fares.SeasonPasses;
import tramway.fares.Ticket;
import tramway.fares.Ticket.Validity;
import tramway.fleet.Depot;
import tramway.fleet.Roster;
import tramway.fleet.Vehicle;
import tramway.geo.Point;
import tramway.geo.Polyline;
import tramway.network.Labelled;
import tramway.network.Line;
import tramway.network.LineKind;
import tramway.network.Network;
import tramway.network.NetworkReader;
import tramway.network.Stop;
import tramway.network.StopIndex;
import tramway.routing.BinaryHeap;
import tramway.routing.CostModel;
import tramway.routing.EarliestArrival;
import tramway.routing.FewestStops;
import tramway.routing.Itinerary;
import tramway.routing.Leg;
import tramway.routing.Router;
import tramway.timetable.Calendar;
import tramway.timetable.ClockTime;
import tramway.timetable.DayMask;
import tramway.timetable.Timetable;
import tramway.timetable.Timetable.Departure;
import tramway.timetable.Trip;

/** Exercises every method of the planner; throws at the first thing that is wrong. */
public final class TramwayCheck {
    private static final String TOWN =
            """
            # A small town
            stop A  "Alpha Square" 47.00,8.00 zone=1 stepfree
            stop B  Bridge  47.00,8.01 zone=1
            stop C  Castle  47.00,8.02 zone=2 stepfree
            stop D  Dock    47.01,8.02 zone=3 stepfree quiet

            stop E  East    47.001,8.02 zone=2 stepfree
            stop F  Farm    ?          zone=4
            line 1  tram A B C
            line 2  bus C D
            line 3  funicular E D F   # and up
            """;

    private static int checks;

    public static void main(String[] args) throws Exception {
        // Upper and lower case must not depend on where the check runs.
        Locale.setDefault(Locale.ROOT);
        geometry();
        network();
        times();
        timetables();
        heaps();
        routes();
        fares();
        boards();
        index();
        calendar();
        vehicles();
        roster();
        alerts();
        passes();
        System.out.println("ok: " + checks + " checks");
    }

    private static void geometry() {
        Point origin = new Point(0, 0);
        Point east = new Point(0, 1);
        Point zurich = Point.parse("47.3769,8.5417");
        Point bern = Point.parse("46.9480,7.4474");
        same(111_195L, Math.round(origin.distanceTo(east)));
        same(95_494L, Math.round(zurich.distanceTo(bern)));
        same(0.0, bern.distanceTo(bern));
        same("[W, E, N, S]", List.of(
                zurich.directionTo(new Point(47.3769, 8)), origin.directionTo(east),
                origin.directionTo(new Point(1, 0.1)), bern.directionTo(new Point(0, 7)))
                .toString());
        same("[NE, NW, SE, SW]", List.of(
                origin.directionTo(new Point(1, 1)), origin.directionTo(new Point(1, -1)),
                origin.directionTo(new Point(-1, 1)), origin.directionTo(new Point(-1, -1)))
                .toString());
        same("S", origin.directionTo(new Point(-1, 0)));
        same("S", origin.directionTo(new Point(-1, 0.364)));
        // Sixty degrees north, a degree of longitude is half as long.
        same("NE", new Point(60, 0).directionTo(new Point(61, 1.6)));
        same("N", new Point(60, 0).directionTo(new Point(61, 0.7)));
        same(null, bern.directionTo(new Point(46.9480, 7.4474)));
        same(new Point(0, 0.5), origin.midway(east));
        same(new Point(1, 0), origin.midway(new Point(2, 0)));
        fails(NumberFormatException.class, () -> Point.parse("47.3"));
        fails(NumberFormatException.class, () -> Point.parse("47.3,x"));
        fails(IllegalArgumentException.class, () -> new Point(91, 0));
        fails(IllegalArgumentException.class, () -> new Point(0, -181));
        same(90.0, new Point(90, 180).lat());

        // The example of the format's own documentation.
        Polyline line = new Polyline(
                new Point(38.5, -120.2), new Point(40.7, -120.95), new Point(43.252, -126.453));
        same("_p~iF~ps|U_ulLnnqC_mqNvxq`@", line.encode());
        Polyline decoded = Polyline.decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@");
        same(new Point(38.5, -120.2), decoded.start());
        same(new Point(43.252, -126.453), decoded.end());
        same(3, decoded.size());
        same(decoded.end(), decoded.reversed().start());
        same(decoded.start(), decoded.reversed().end());
        Polyline street = new Polyline(List.of(
                origin, new Point(0.0001, 0.25), new Point(0, 0.5), new Point(0.01, 0.75), east));
        same(5, street.size());
        same(true, Math.abs(street.length() - 111_220) < 30);
        same(5, street.simplify(1).size());
        same(4, street.simplify(20).size());
        same(3, street.simplify(800).size());
        same(1, street.simplify(800).nearest(new Point(0.01, 0.75)));
        same(2, street.simplify(2000).size());
        same(5, street.reversed().simplify(1).size());
        same(4, street.reversed().simplify(20).size());
        same(3, street.reversed().simplify(800).size());
        same(street.simplify(20).encode(), Polyline.decode(street.simplify(20).encode()).encode());
        same("??_@?", new Polyline(origin, new Point(0.00016, 0)).encode());
        same(3, street.nearest(new Point(0, 0.7)));
        same(0, street.nearest(new Point(-1, -1)));
        Polyline loop = new Polyline(origin, east, origin);
        same(3, loop.simplify(10).size());
        same(222_390L, Math.round(loop.length()));
        fails(IllegalArgumentException.class, () -> new Polyline(origin));
    }

    private static void network() throws IOException {
        Network town = NetworkReader.read(new StringReader(TOWN));
        Stop alpha = town.stop("A");
        Stop bridge = town.stop("B");
        Stop castle = town.stop("C");
        Stop dock = town.stop("D");
        Stop farm = town.stop("F");
        same("A", alpha.getId());
        same("Alpha Square", alpha.getName());
        same("Alpha Square ♿", alpha.label());
        same("Bridge", bridge.label());
        same("Bri.", bridge.label(4));
        same("Bridge", bridge.label(6));
        same(1, alpha.getZone());
        same(3, town.zoneOf("D"));
        same(false, bridge.isStepFree());
        same(null, farm.getPlace());
        same(758L, Math.round(alpha.walkTo(bridge)));
        same("Dock", dock.toString());
        same(6, town.stops().size());
        same(null, town.stop("Z"));
        same(null, town.line("9"));
        Stop twin = new Stop("A", "elsewhere", null);
        same(true, alpha.equals(twin) && !alpha.equals(bridge) && !alpha.equals("A"));
        same(alpha.hashCode(), twin.hashCode());
        same(true, alpha.compareTo(bridge) < 0);
        same(true, new Stop("X", "BRIDGE", null).compareTo(bridge) > 0);

        Line tram = town.line("1");
        Line bus = town.line("2");
        Line funicular = town.line("3");
        same("1", tram.getNumber());
        same("tram 1", tram.label());
        same("3 Farm", funicular.headsign());
        same(LineKind.BUS, bus.getKind());
        same(2, tram.stepsBetween(castle, alpha));
        same(1, tram.stepsBetween(alpha, bridge));
        same(1, tram.stepsBetween(castle, bridge));
        same(-1, tram.stepsBetween(alpha, dock));
        same(-1, tram.stepsBetween(dock, alpha));
        same(castle, tram.crossing(bus));
        same(dock, bus.crossing(funicular));
        same(null, tram.crossing(funicular));
        same(bridge, tram.crossing(new Line("0", LineKind.BUS, castle, bridge)));
        same(true, tram.serves(bridge) && !bus.serves(bridge));
        same("[Alpha Square, Bridge, Castle, Bridge, Alpha Square]", listed(tram).toString());
        same("[]", listed(new Line("0", LineKind.BUS)).toString());
        Iterator<Stop> once = new Line("0", LineKind.BUS, alpha).iterator();
        same(alpha, once.next());
        fails(NoSuchElementException.class, once::next);
        same(null, new Line("0", LineKind.BUS).terminus());
        Line extended = new Line("4", LineKind.TRAM, alpha, castle).append(bridge, alpha);
        extended.append(dock, farm);
        same("[Alpha Square, Bridge, Castle, Dock]", extended.getStops().toString());
        fails(UnsupportedOperationException.class, () -> extended.getStops().clear());

        same("[15, 17, 10, 18, 120, 120]", List.of(
                LineKind.TRAM.dwell(0), LineKind.TRAM.dwell(4), LineKind.BUS.dwell(0),
                LineKind.BUS.dwell(2), LineKind.FUNICULAR.dwell(0), LineKind.FUNICULAR.dwell(9))
                .toString());
        same(180, LineKind.TRAM.travelSeconds(1000));
        same(181, LineKind.TRAM.travelSeconds(1001));
        same(450, LineKind.FUNICULAR.travelSeconds(1000));
        same(LineKind.FUNICULAR, Labelled.find(LineKind.class, "Funicular"));
        same(null, Labelled.find(Passenger.class, "cat"));

        same("[tram 1, bus 2]", town.linesAt(castle).stream().map(Line::label).toList().toString());
        List<String> steps = new ArrayList<>();
        town.forEachNeighbour(castle, (stop, line) -> steps.add(stop + " by " + line.getNumber()));
        town.forEachNeighbour(bridge, (stop, line) -> steps.add(stop + " by " + line.getNumber()));
        same("[Bridge by 1, Dock by 2, Alpha Square by 1, Castle by 1]", steps.toString());
        same(List.of(town.stop("E")), town.walkable(castle));
        same(List.of(), town.walkable(alpha));
        same(List.of(), town.walkable(farm));
        Stop gate = town.add(new Stop("G", "Gate", new Point(47.0005, 8.02)));
        same(List.of(gate, town.stop("E")), town.walkable(castle));
        same(false, town.isConnected());
        town.add(new Line("5", LineKind.BUS, gate, alpha));
        same(true, town.isConnected());
        town.add(new Line("6", LineKind.BUS, new Stop("H", "Hill", null)));
        same("Hill", town.stop("H").getName());
        same(true, new Network().isConnected());
        same("[Alpha Square, Castle, Dock]", town.hubs(2).toString());
        dock.setStepFree(false);
        dock.setZone(9);
        same("Dock 9", dock.label() + " " + dock.getZone());

        List<String> problems = new ArrayList<>();
        for (String wrong : List.of(
                "stop A", "stop A B 1;2", "stop A B 1,2 zone=x", "line 1 tram Z", "line 1 boat",
                "line 1", "tunnel 1")) {
            StringReader source = new StringReader("#\n" + wrong);
            try {
                NetworkReader.read(source);
            } catch (IOException problem) {
                problems.add(problem.getMessage());
            }
            // A reader that is closed cannot be read any more.
            try {
                problems.add("" + source.read());
            } catch (IOException expected) {
                checks++;
            }
        }
        same("[line 2: bad stop, line 2: bad stop, line 2: bad stop, line 2: unknown stop Z,"
                + " line 2: unknown kind boat, line 2: bad line, line 2: unknown word tunnel]",
                problems.toString());
        NetworkReader reader = new NetworkReader(new StringReader(""));
        same(false, reader.isClosed());
        reader.close();
        same(true, reader.isClosed());
        String manyWords = "stop X \"Cross \" 1,2" + " filler".repeat(20) + " zone=7 \"open";
        same(7, NetworkReader.read(new StringReader(manyWords)).zoneOf("X"));
    }

    private static void times() {
        ClockTime seven = new ClockTime(7, 5);
        same(7 * 3600 + 300, seven.seconds());
        same("07:05", seven.toString());
        same("01:10", new ClockTime(25, 10).toString());
        same("20:20", new ClockTime(20, 20).toString());
        same(25, new ClockTime(25, 10).hour());
        same(5, seven.minute());
        same(seven, ClockTime.parse("7:05"));
        same(new ClockTime(7 * 3600 + 330), ClockTime.parse("07:05:30"));
        same(new ClockTime(29, 59), ClockTime.parse("29:59"));
        same(new ClockTime(7, 59), ClockTime.parse("7:59"));
        for (String wrong : List.of(
                "", "7", "7:", ":05", "7:5", "7:60", "7:05:61", "7:05:00:00", "7;05", "007:05",
                "30:00", "7:0a", "7:0/", "7:005", "0:00:00:00")) {
            same(null, ClockTime.parse(wrong));
        }
        same(new ClockTime(7, 6), seven.plus(60));
        same(new ClockTime(7, 4), seven.plus(-60));
        same(60, seven.plus(60).since(seven));
        same(true, seven.isBefore(seven.plus(1)) && !seven.isBefore(seven));
        same(seven, seven.roundUp(5));
        same(new ClockTime(7, 10), seven.plus(1).roundUp(5));
        StringBuilder periods = new StringBuilder();
        for (int hour = 0; hour < 30; hour += 3) {
            periods.append(new ClockTime(hour, 0).period().charAt(0));
        }
        same("nnmmaaeenn", periods.toString());
        same(60, seven.plus(60).compareTo(seven));
        same(0, ClockTime.MIDNIGHT.seconds());
        fails(IllegalArgumentException.class, () -> new ClockTime(-1));
        fails(IllegalArgumentException.class, () -> new ClockTime(30, 0));

        DayMask mask = DayMask.parse("M-W---S");
        same("M-W---S", mask.toString());
        same(DayMask.of(0, 2, 6), mask);
        same(3, mask.count());
        same(true, mask.has(0) && !mask.has(1) && mask.has(6));
        same("M-W----", mask.and(DayMask.WEEKDAYS).toString());
        same("MTWTF-S", mask.or(DayMask.WEEKDAYS).toString());
        same("-T-TFS-", mask.complement().toString());
        same(DayMask.parse("MT-T---"), mask.shift(1));
        same("-T---SS", mask.shift(-1).toString());
        same(mask, mask.shift(14));
        same(true, mask.equals(mask.shift(7)) && !mask.equals(DayMask.DAILY));
        same(false, mask.equals("M-W---S"));
        same(mask.hashCode(), DayMask.of(6, 2, 0).hashCode());
        same(7, DayMask.DAILY.count());
        same("[daily, Monday to Friday, weekends, never, 3 days a week]", List.of(
                DayMask.DAILY.describe(), DayMask.WEEKDAYS.describe(), DayMask.of(5, 6).describe(),
                DayMask.of().describe(), mask.describe()).toString());
        fails(IllegalArgumentException.class, () -> DayMask.parse("MTW"));
        fails(IllegalArgumentException.class, () -> DayMask.parse("TMWTFSS"));
    }

    private static Timetable timetable(Network town) {
        Timetable table = new Timetable();
        Line tram = town.line("1");
        ClockTime eight = new ClockTime(8, 0);
        Trip first = new Trip(tram, DayMask.DAILY, eight, eight.plus(180), eight.plus(360));
        table.add(first, 600, new ClockTime(9, 0));
        Line bus = town.line("2");
        table.add(new Trip(bus, DayMask.WEEKDAYS, new ClockTime(8, 10), new ClockTime(8, 25)));
        table.add(new Trip(bus, DayMask.DAILY, new ClockTime(8, 5), new ClockTime(8, 24)));
        Line funicular = town.line("3");
        table.add(new Trip(funicular, DayMask.WEEKDAYS,
                new ClockTime(8, 9), new ClockTime(8, 14), new ClockTime(8, 30)));
        return table;
    }

    private static void timetables() throws IOException {
        Network town = NetworkReader.read(new StringReader(TOWN));
        Stop alpha = town.stop("A");
        Stop bridge = town.stop("B");
        Stop castle = town.stop("C");
        Stop dock = town.stop("D");
        Line tram = town.line("1");
        ClockTime eight = new ClockTime(8, 0);
        Trip estimate = Trip.estimate(tram, DayMask.WEEKDAYS, eight, 10);
        // 758 m at 20 km/h are 137 s, and 20 s at the stop.
        same(new ClockTime(8, 3), estimate.timeAt(bridge));
        same(new ClockTime(8, 6), estimate.timeAt(castle));
        same(null, estimate.timeAt(dock));
        same(360, estimate.duration(alpha, castle));
        same(tram, estimate.getLine());
        same(true, estimate.runsOn(4) && !estimate.runsOn(5));
        same(true, estimate.canBoard(bridge, new ClockTime(8, 3)));
        same(false, estimate.canBoard(bridge, new ClockTime(8, 4)));
        same(false, estimate.canBoard(castle, eight));
        same(false, estimate.canBoard(dock, eight));
        same(new ClockTime(8, 13), estimate.shifted(600).timeAt(bridge));
        fails(IllegalArgumentException.class, () -> new Trip(tram, DayMask.DAILY, eight));

        Timetable table = timetable(town);
        same(10, table.size());
        List<Departure> next = table.next(castle, 0, eight, 9);
        same("[08:05 bus 2 from Castle, 08:10 bus 2 from Castle]", next.toString());
        same(1, table.next(castle, 5, eight, 9).size());
        same(2, table.next(alpha, 5, new ClockTime(8, 1), 2).size());
        same(new ClockTime(8, 10), table.next(alpha, 0, new ClockTime(8, 1)).getTime());
        same(tram, table.next(alpha, 0, eight).getTrip().getLine());
        same(null, table.next(alpha, 0, new ClockTime(9, 1)));
        same(null, table.next(town.stop("F"), 0, eight));
        same(540, table.waiting(alpha, 0, new ClockTime(8, 1)));
        same(600, table.longestGap(alpha));
        same(300, table.longestGap(castle));
        same(0, table.longestGap(town.stop("F")));
        same("[Alpha Square, Bridge]", table.busiest(2).toString());
        same("[Alpha Square, Bridge, Castle, Dock, East]", table.busiest(9).toString());
        Departure early = next.get(0);
        same(true, early.compareTo(next.get(1)) < 0);
        same(0, early.compareTo(early));
        Line express = new Line("11", LineKind.TRAM, alpha, dock);
        table.add(new Trip(express, DayMask.DAILY, eight, eight));
        Line back = new Line("12", LineKind.TRAM, dock, alpha);
        table.add(new Trip(back, DayMask.DAILY, eight, eight), 60, new ClockTime(9, 0));
        same("[Dock, Alpha Square, Bridge]", table.busiest(3).toString());
        same("[08:00 tram 1 from Alpha Square, 08:00 tram 11 from Alpha Square]",
                table.next(alpha, 0, eight, 2).toString());
    }

    private static void heaps() {
        BinaryHeap<Integer> heap = BinaryHeap.natural();
        same(null, heap.peek());
        same(null, heap.pop());
        heap.pushAll(List.of(5, 3, 8, 1, 9, 2, 7, 3, 6, 4));
        same(10, heap.size());
        same(1, heap.peek());
        List<Integer> sorted = new ArrayList<>();
        while (!heap.isEmpty()) {
            sorted.add(heap.pop());
        }
        same(List.of(1, 2, 3, 3, 4, 5, 6, 7, 8, 9), sorted);
        BinaryHeap<Integer> large = BinaryHeap.natural();
        for (int i = 0; i < 101; i++) {
            large.push(i * 37 % 101);
        }
        for (int i = 0; i < 101; i++) {
            same(i, large.pop());
            if (i % 4 == 0) {
                large.push(i + 200);
            }
        }
        BinaryHeap<String> longest =
                new BinaryHeap<>((left, right) -> right.length() - left.length());
        longest.push("a");
        longest.push("ccc");
        longest.push("bb");
        same("ccc", longest.pop());
        same("bb", longest.pop());
    }

    private static void routes() throws IOException {
        Network town = NetworkReader.read(new StringReader(TOWN));
        Stop alpha = town.stop("A");
        Stop bridge = town.stop("B");
        Stop castle = town.stop("C");
        Stop dock = town.stop("D");
        Stop farm = town.stop("F");
        ClockTime eight = new ClockTime(8, 0);

        Router fewest = new FewestStops(town);
        Itinerary ride = fewest.find(alpha, dock, eight);
        same("08:00 take tram 1 to Castle; 08:04 take bus 2 to Dock", ride.toString());
        same(6, ride.minutes());
        same(6, fewest.minutesBetween(alpha, dock, eight));
        same(1, ride.changes());
        same("[Alpha Square, Castle, Dock]", ride.stops().toString());
        same(true, ride.isStepFree());
        same(3, fewest.find(alpha, farm, eight).stops().size() - 1);
        same(false, fewest.find(alpha, bridge, eight).isStepFree());
        same("08:00 take tram 1 to Alpha Square", fewest.find(castle, alpha, eight).toString());
        Itinerary none = fewest.find(dock, dock, eight);
        same(null, none.arrival());
        same(0, none.minutes());
        same(0, none.changes());
        same("", none.toString());
        same(null, fewest.find("A", "Z", "8:00"));
        same(null, fewest.find("Z", "A", "8:00"));
        same(null, fewest.find("A", "B", "8"));
        same("08:02", fewest.find("A", "B", "8:00").arrivalText());
        same(7, fewest.getSearches());
        town.add(new Stop("Q", "Quiet", null));
        same(null, fewest.find("A", "Q", "8:00"));

        Timetable table = timetable(town);
        EarliestArrival weekday = new EarliestArrival(town, table, 0);
        same(true, weekday.isWalking());
        Itinerary fastest = weekday.find(alpha, dock, eight);
        same("08:00 take tram 1 to Castle; 08:06 walk 111 m to East;"
                + " 08:09 take funicular 3 to Dock", fastest.toString());
        same("08:14", fastest.arrivalText());
        same(14, fastest.minutes());
        same(1, fastest.changes());
        same(true, fastest.isStepFree());
        weekday.setWalking(false);
        Itinerary ridden = weekday.find("A", "D", "8:00");
        same("08:00 take tram 1 to Castle; 08:10 take bus 2 to Dock", ridden.toString());
        EarliestArrival sunday = new EarliestArrival(town, table, 6);
        same(null, sunday.find(alpha, dock, eight));
        same("08:05 take bus 2 to Dock", sunday.find(castle, dock, eight).toString());
        same(null, weekday.find(dock, alpha, eight));
        same("08:03 take tram 1 to Castle", weekday.find(bridge, castle, eight).toString());
        same("08:14 take funicular 3 to Farm", weekday.find(dock, farm, eight).toString());

        same(true, fastest.compareTo(ridden) < 0);
        same(true, ridden.compareTo(fewest.find(alpha, dock, new ClockTime(8, 19))) == 0);
        same(true, fastest.equals(fastest) && !fastest.equals(ridden) && !fastest.equals("08:00"));
        Itinerary again = new EarliestArrival(town, table, 0).find(alpha, dock, eight);
        same(fastest, again);
        same(fastest.hashCode(), again.hashCode());

        Leg.Ride first = new Leg.Ride(town.line("1"), alpha, bridge, eight, eight.plus(60));
        Leg.Ride second = new Leg.Ride(
                town.line("1"), bridge, castle, eight.plus(90), eight.plus(200));
        same("08:00 take tram 1 to Castle", first.join(second).instruction());
        same(200, first.join(second).seconds());
        same(null, second.join(first));
        Leg.Ride bus = new Leg.Ride(town.line("2"), bridge, castle, eight.plus(90), eight.plus(99));
        same(null, first.join(bus));
        fails(IllegalArgumentException.class,
                () -> new Leg.Ride(town.line("1"), alpha, bridge, eight.plus(1), eight));
        Leg.Walk walk = new Leg.Walk(alpha, castle, eight, 199);
        same(166, walk.seconds());
        same(eight.plus(166), walk.arrival());
        same("08:00 walk 199 m to Castle", walk.instruction());
        same(true, walk.isStepFree());
        same(false, new Leg.Walk(alpha, castle, eight, 200).isStepFree());
        same(false, new Leg.Walk(alpha, bridge, eight, 10).isStepFree());
        same(false, new Leg.Walk(bridge, alpha, eight, 10).isStepFree());
        same(62, new Itinerary(List.of(new Leg.Walk(alpha, castle, eight, 4393))).minutes());
        Itinerary direct = new Itinerary(List.of(
                new Leg.Ride(town.line("1"), alpha, castle, eight, new ClockTime(8, 25))));
        same(true, direct.compareTo(ridden) < 0 && ridden.compareTo(direct) > 0);
        Itinerary both = new Itinerary(List.of(first, second, walk, bus));
        same("[Alpha Square, Castle, Castle, Castle]", both.stops().toString());
        same(1, both.changes());
        Iterator<Leg> legs = both.iterator();
        same(first.join(second), legs.next());
        same(200.0 + 166 + 9, both.cost(CostModel.TIME));
        same(375.0 + 3 * 100, both.cost(CostModel.TIME.withChange(100)));
        CostModel lazy = CostModel.dislikingWalks(2);
        same(375.0 + 166, both.cost(lazy));
        same(375.0 * 2 + 166, both.cost(CostModel.sum(CostModel.TIME, lazy)));
    }

    private static void fares() throws IOException {
        Network town = NetworkReader.read(new StringReader(TOWN));
        Router router = new FewestStops(town);
        int[] full = new int[8];
        for (int zones = 0; zones < full.length; zones++) {
            full[zones] = FareTable.base(zones);
        }
        same("[0, 280, 420, 550, 670, 780, 870, 960]", Arrays.toString(full));
        Itinerary near = router.find("A", "B", "8:00");
        Itinerary far = router.find("A", "D", "8:00");
        FareTable fares = new FareTable();
        same(280, fares.fare(near, Passenger.ADULT));
        same(140, fares.fare(near, Passenger.CHILD));
        same(200, fares.fare(near, Passenger.SENIOR));
        same(550, fares.fare(far, Passenger.ADULT));
        same(280, fares.fare(far, Passenger.DOG));
        same(280, new FareTable().fare(far, Passenger.CHILD));
        same(390, new FareTable().fare(far, Passenger.SENIOR));
        List<Leg> walks = new ArrayList<>();
        for (int zone = 1; zone < 8; zone++) {
            Stop here = new Stop("s" + zone, "s", null);
            Stop there = new Stop("s" + (zone + 1), "s", null);
            here.setZone(zone);
            there.setZone(zone + 1);
            walks.add(new Leg.Walk(here, there, ClockTime.MIDNIGHT, 1));
        }
        same(1050, new FareTable().fare(new Itinerary(walks), Passenger.ADULT));
        same(2, fares.sold(Passenger.ADULT));
        same(1, fares.lead(Passenger.ADULT, Passenger.CHILD));
        same(560, fares.fare(near, Passenger.ADULT, Passenger.CHILD, Passenger.ADULT));
        same(420, fares.fare(near, List.of(Passenger.CHILD, Passenger.ADULT)));
        same(0, new FareTable().sold(Passenger.DOG));
        same("dog (on a lead)", Passenger.DOG.label());
        same("senior", Passenger.SENIOR.label());
        same(Passenger.CHILD, Passenger.ofAge(15));
        same(Passenger.ADULT, Passenger.ofAge(16));
        same(Passenger.ADULT, Passenger.ofAge(64));
        same(Passenger.SENIOR, Passenger.ofAge(Integer.valueOf(65)));
        same(Passenger.ADULT, Passenger.ofAge(null));

        same(3, Ticket.checkDigit("7992739871"));
        same(0, Ticket.checkDigit("0"));
        same(9, Ticket.checkDigit("5"));
        same(true, Ticket.isValid("18"));
        same(true, Ticket.isValid("79927398713"));
        for (String wrong : List.of("79927398710", "7", "", "7992739871x", "79927398731")) {
            same(false, Ticket.isValid(wrong));
        }
        Ticket ticket = new Ticket(Validity.HOURLY);
        same("10017", ticket.getNumber());
        same(true, Ticket.isValid(new Ticket(Validity.SHORT).getNumber()));
        ClockTime nine = new ClockTime(9, 0);
        same(false, ticket.isGoodAt(nine));
        same(true, ticket.stamp(nine));
        same(false, ticket.stamp(nine.plus(1)));
        same("stamped 09:00", ticket.stampText());
        same(true, ticket.isGoodAt(nine) && ticket.isGoodAt(nine.plus(3600)));
        same(false, ticket.isGoodAt(nine.plus(3601)) || ticket.isGoodAt(nine.plus(-1)));
        int[] minutes = new int[Validity.values().length];
        for (Validity validity : Validity.values()) {
            Ticket used = new Ticket(validity);
            used.stamp(ClockTime.MIDNIGHT);
            while (used.isGoodAt(new ClockTime(0, minutes[validity.ordinal()] + 1))) {
                minutes[validity.ordinal()]++;
            }
        }
        same("[30, 60, 1440]", Arrays.toString(minutes));
    }

    private static void boards() throws IOException {
        Network town = NetworkReader.read(new StringReader(TOWN));
        Timetable table = timetable(town);
        table.add(new Trip(new Line("30", LineKind.FUNICULAR, town.stop("C"), town.stop("E")),
                DayMask.DAILY, new ClockTime(9, 20), new ClockTime(9, 25)));
        table.add(new Trip(new Line("8", LineKind.TRAM, town.stop("C"), town.stop("A")),
                DayMask.DAILY, new ClockTime(8, 0), new ClockTime(8, 9)));
        DepartureBoard board = new DepartureBoard(table, town.stop("C"), 16);
        board.announce("");
        board.announce((String) null);
        board.announce("Mind the gap between tram and platform.");
        same(true, board.announce(() -> "Line 4: unavailable-today"));
        same(true, board.announce(() -> ""));
        same(true, board.announce(() -> "Bye"));
        same(false, board.announce(() -> "too much"));
        same(
                """
                +----------------+
                |    Castle ♿    |
                +----------------+
                |T 8 Alpha Squnow|
                |B 2 Dock      5'|
                |B 2 Dock     10'|
                |F 30 East  1h20'|
                |Mind the gap    |
                |between tram and|
                |platform.       |
                |Line 4:         |
                |unavailable-toda|
                |Bye             |
                """,
                board.draw(0, new ClockTime(8, 0), 9));
        same("1. Alpha Square ♿\n3. Bridge\n", DepartureBoard.list(
                List.of(town.stop("A"), town.stop("B")), index -> 2 * index + 1));
        same(true, board.draw(0, new ClockTime(8, 1), 1).contains("|B 2 Dock      4'|"));
        same(true, board.draw(0, new ClockTime(8, 20), 1).contains("|F 30 East   1h0'|"));
        same(true, board.draw(0, new ClockTime(8, 21), 1).contains("59'|"));
        same(true, board.draw(0, new ClockTime(8, 4), 1).contains(" 1'|"));
        DepartureBoard narrow = new DepartureBoard(table, town.stop("C"), 8);
        narrow.announce("longest-words go first, or");
        narrow.announce("so it is");
        same(
                """
                +--------+
                |Castle ♿|
                +--------+
                |longest-|
                |go      |
                |first,  |
                |or      |
                |so it is|
                """,
                narrow.draw(0, new ClockTime(10, 0), 1));

        same("Trams are late for 1 minute.", DepartureBoard.wording("delay", 1));
        same("This stop is closed.", DepartureBoard.wording("works", 0));
        same("This stop is closed for 2 minutes.", DepartureBoard.wording("closed", 2));
        same(null, DepartureBoard.wording("test", 5));
        same("Please listen to the announcements.", DepartureBoard.wording("fire", 0));

        List<ClockTime> times = List.of(
                new ClockTime(8, 0), new ClockTime(8, 30), new ClockTime(8, 10),
                new ClockTime(8, 50));
        Headways headways = new Headways(times);
        same(1000.0, headways.mean());
        same(1200, headways.percentile(50));
        same(600, headways.percentile(0));
        same(600, headways.percentile(33));
        same(1200, headways.percentile(100));
        same(600, headways.interval());
        same(false, headways.isRegular());
        same("[0, 1, 2]", Arrays.toString(headways.histogram(600, 1200)));
        Headways even = new Headways(times.subList(0, 2));
        same(true, even.isRegular());
        same(1800, even.interval());
        Headways slower = new Headways(
                List.of(new ClockTime(8, 0), new ClockTime(8, 30), new ClockTime(8, 40)));
        same(600, slower.percentile(50));
        same("[1, 0, 1]", Arrays.toString(slower.histogram(601, 700)));
        same(true, new Headways(
                List.of(new ClockTime(8, 0), new ClockTime(8, 10), new ClockTime(8, 20)))
                .isRegular());
        same(false, new Headways(times.subList(0, 3)).isRegular());
        Headways empty = new Headways(List.of());
        same(0.0, empty.mean());
        same(0, empty.interval());
        fails(IllegalStateException.class, () -> empty.percentile(50));
    }

    private static void index() {
        Stop square = new Stop("A", "Alpha Square", new Point(47, 8));
        Stop bridge = new Stop("B", "Bridge", new Point(47, 8.01));
        Stop farm = new Stop("F", "Farm", null);
        square.setZone(1);
        bridge.setZone(1);
        farm.setZone(4);
        StopIndex index = new StopIndex(List.of(farm, bridge, square));
        index.nickname("The Pigs", farm);
        same(square, index.find(" alpha"));
        same(null, index.find("zoo"));
        same(null, index.find("alps"));
        same(farm, index.findNick("the pigs"));
        same(null, index.findNick("the cows"));
        same("the pigs is Farm", index.explain("the pigs"));
        same(true, index.knows("Bri") && index.knows("the pigs") && !index.knows("zoo"));
        same("/stops/B", index.link("bridge"));
        same(4, index.zone("farm"));
        same(0, index.zone("zoo"));
        same(true, index.sameZone(square, "bridge") && !index.sameZone(square, "farm"));
        same("Farm", index.nextName("Bridge"));
        same("a-f", index.span());
        same(bridge, index.nearest(new Point(47, 8.02)));
        same(null, new StopIndex(List.of(farm)).nearest(new Point(47, 8)));
        same("Go to Alpha Square", index.guide(new Point(47, 7)));
        same("to the e", StopIndex.arrow(new Point(47, 7), square));
        same("Bridge", StopIndex.farthest(new Point(47, 7), List.of(square, bridge, farm)));
    }

    private static void calendar() throws IOException {
        Calendar calendar = new Calendar();
        calendar.begin(91, new Calendar.Season("summer", DayMask.DAILY));
        calendar.read(new StringReader("3\n1 winter MTWTF--\n300 autumn MTWTFS-\n"));
        calendar.holiday(121, "Labour Day ");
        same("winter, Monday to Friday", calendar.heading(90));
        same("summer, daily", calendar.heading(91));
        same(null, calendar.season(0));
        same(true, calendar.runs(100, 6) && !calendar.runs(50, 6) && !calendar.runs(0, 1));
        same(6, calendar.daysOfService(365));
        same(10, calendar.daysLeft(290));
        same("Happy Labour Day!", calendar.wish(121));
        same(null, calendar.holidayOn(122));
        same(6, calendar.weekdayFor(121, 2));
        same(2, calendar.weekdayFor(122, 2));
        same(90, calendar.length(5));
        same(-1, calendar.length(301));
        same("autumn", calendar.lastSeason());
        same("summer", calendar.firstWith(6));
        same("winter", calendar.firstWith(0));
    }

    private static void vehicles() {
        Stop dock = new Stop("D", "Dock", null);
        Line four = new Line("4", LineKind.TRAM, dock);
        Line bus = new Line("32", LineKind.BUS, dock);
        Vehicle old = new Vehicle(7, LineKind.TRAM, 60);
        Vehicle wide = new Vehicle(12, LineKind.TRAM, 90);
        same(12, wide.getNumber());
        same(90, wide.getSeats());
        same(LineKind.TRAM, wide.getKind());
        same(null, old.getLine());
        same(false, old.isOn(four));
        same(true, old.assign(four) && !old.assign(bus));
        same("4 Dock", old.sign());
        same(four, old.getLine());
        same(true, old.isOn(four) && !old.isOn(bus));
        ClockTime six = new ClockTime(6, 0);
        same(null, old.washedAfter(six));
        old.wash(new ClockTime(7, 30));
        same(null, old.washedAfter(new ClockTime(8, 0)));
        same(45, old.cleanFor(six, new ClockTime(8, 15)));
        same("tram no. 7", old.toString());

        Depot depot = new Depot(1);
        depot.add(old);
        depot.add(wide);
        same(old, depot.vehicle(7));
        same(null, depot.vehicle(8));
        same(60, depot.seats(7));
        same(true, depot.isReady(7) && !depot.isReady(8));
        same(13, depot.nextNumber());
        same(List.of(old, wide), depot.ofKind(LineKind.TRAM));
        same(90, depot.mostSeats(LineKind.TRAM));
        same(0, depot.parked("north"));
        same(null, depot.track("north"));
        same(null, depot.first("north"));
        depot.park(old, "north");
        depot.park(wide, "north");
        same(2, depot.parked("north"));
        same(wide, depot.first("north"));
        same("north: 12", depot.gate("north"));
        same(true, depot.dispatch("north", four));
        same(false, depot.dispatch("north", bus) || depot.dispatch("south", four));
        same(old, depot.drive("north"));
        same(null, depot.drive("north"));
        Vehicle spare = depot.add(new Vehicle(15, LineKind.TRAM, 50));
        same(spare, depot.spareFor(wide));
        same("sent tram 4", depot.replace(wide));
        same(four, spare.getLine());
        same(null, depot.spareFor(wide));
        same("nothing to do", depot.replace(wide));
        same("0 free", depot.pitLine(0));
        same(-1, depot.release(0));
        same(true, depot.repair(wide) && wide.isBroken() && !depot.repair(old));
        same("0 tram no. 12", depot.pitLine(0));
        same(wide, depot.overPit(0));
        same(12, depot.release(0));
        same(false, wide.isBroken());
    }

    private static void roster() {
        Roster roster = new Roster();
        Roster.Driver ida = roster.add("Ida", "044 555 1234");
        Roster.Driver bo = roster.add("Bo", null);
        same("1234", ida.extension());
        same(null, bo.extension());
        same(null, new Roster.Driver("Al", "123").extension());
        same(ida, roster.driver("Ida"));
        same(null, roster.driver("Al"));
        same(true, roster.add("Ida", "6:00", "10:30") && roster.add("Bo", "11:00", "12:00"));
        same(false, roster.add("Al", "6:00", "7:00") || roster.add("Bo", "6", "7:00")
                || roster.add("Bo", "6:00", "noon"));
        Roster.Shift early = new Roster.Shift(ida, new ClockTime(6, 0), new ClockTime(10, 30));
        ClockTime seven = new ClockTime(7, 0);
        same(early, roster.at(seven));
        same(early, roster.at("7:00"));
        same(null, roster.at("seven"));
        same(null, roster.at(new ClockTime(5, 0)));
        same(null, roster.at(new ClockTime(10, 30)));
        same(270, early.minutes());
        same("Ida", roster.whoDrives(seven));
        same(true, roster.isCovered(seven) && !roster.isCovered(new ClockTime(12, 0)));
        same(210, roster.minutesLeft(seven));
        same("11:00", roster.nextStart(seven));
        same(30, roster.breakAfter(early));
        same(ida, roster.present(ida));
        roster.standIn("Ida", "Bo");
        same(bo, roster.present(ida));
        same("*1234#", roster.dial(early));
        same(List.of("Ida 1234"), roster.extensions());
        same('B', roster.initial("Bo"));
        same(60, roster.workOf(bo));
        same(270, roster.longestOf(ida));
    }

    private static void alerts() {
        Network network = new Network();
        Stop castle = new Stop("C", "Castle", null);
        Stop dock = new Stop("D", "Dock", null);
        Line four = network.add(new Line("4", LineKind.TRAM, castle, dock));
        Line bus = new Line("32", LineKind.BUS, dock);
        Alerts alerts = new Alerts(network);
        ClockTime noon = new ClockTime(12, 0);
        same(true, alerts.receive("delay 4 slippery rails"));
        same(false, alerts.receive("fire 4 smoke") || alerts.receive("delay 4"));
        Alerts.Alert closed = alerts.add(Severity.CLOSED, "32", "road works", noon);
        same(null, Severity.of("fire"));
        same(2, Alerts.rank("closed"));
        same("CLOSED: road works", alerts.worst());
        same(closed, alerts.of("32"));
        same(null, alerts.of("5"));
        same("slippery rails", alerts.boardText(four));
        same("on time", alerts.boardText(new Line("5", LineKind.TRAM)));
        same(true, alerts.isClosed("32") && !alerts.isClosed("4"));
        same(noon, closed.endAfter(new ClockTime(11, 0)));
        same(null, closed.endAfter(new ClockTime(13, 0)));
        same(20, Alerts.minutesLeft(closed, new ClockTime(11, 40)));
        same(1, alerts.doubtful(new ClockTime(11, 0)).size());
        same(2, alerts.doubtful(new ClockTime(13, 0)).size());
        Alerts.Alert late = new Alerts.Alert(Severity.DELAY, "4", "snow", null);
        same("Passengers on tram 4: snow", alerts.announcement(late));
        same("yellow", alerts.colour(late));
        same("red", alerts.colour(new Alerts.Alert(Severity.CLOSED, "4", "snow", null)));
        same("grey", alerts.colour(closed));
        same(null, alerts.detourOf(four));
        alerts.detour(four, castle);
        same("please wait at Castle", alerts.waitAt(four));
        same("Castle", alerts.detourOf(four));
        same("Castle  ", alerts.detourColumn(four, 8));
        same("change at Dock", alerts.changeAt(bus, four));
        same(14, alerts.lengthOfLast(Severity.DELAY));
        same("over: road works", alerts.resolve());
        same("DELAY: slippery rails", alerts.worst());
    }

    private static void passes() {
        Stop square = new Stop("A", "Alpha Square", null);
        Stop dock = new Stop("D", "Dock", null);
        Stop farm = new Stop("F", "Farm", null);
        square.setZone(1);
        dock.setZone(3);
        farm.setZone(4);
        SeasonPasses passes = new SeasonPasses();
        SeasonPasses.Pass long3 = passes.sell("17", Passenger.ADULT, dock, square);
        SeasonPasses.Pass short1 = passes.sell("18", Passenger.CHILD, square, square);
        same("17", long3.number());
        same(null, long3.owner());
        same(null, short1.name(" ").owner());
        same("Dear passenger", SeasonPasses.salutation(long3));
        long3.name("Ida Holm");
        short1.name("Ida Holm");
        same("Ida Holm", long3.owner());
        same("Dear Ida Holm", SeasonPasses.salutation(long3));
        same("Ida", SeasonPasses.firstName(long3));
        same(true, long3.covers(dock) && !long3.covers(farm) && !short1.covers(dock));
        same(true, passes.inspect("17", dock));
        same(false, passes.inspect("17", farm) || passes.inspect("19", dock));
        same(2800, short1.price());
        same(FareTable.base(3) * 20, long3.price());
        same(long3, passes.pass("17"));
        same(null, passes.pass("19"));
        same("Ida Holm", passes.ownerOf("17"));
        same(true, passes.sameOwner(long3, "18") && !passes.sameOwner(long3, "19"));
        same(8400, passes.priceFor("18", 3));
        same(2800, passes.renew("18", "20"));
        same(null, passes.pass("18"));
        passes.rebate(6, "a cup");
        passes.rebate(12, "a free month");
        same("a cup", passes.giftAfter(11));
        same("a free month", passes.giftAfter(12));
        same(4, passes.monthsToGift(8));
        same("-", passes.phone());
        passes.set("phone", "044 555");
        passes.set("hours", "8-12");
        same("044 555", passes.phone());
        same("open 8 to 12", passes.hours());
        same(30, SeasonPasses.discountFor("senior"));
        same("18", SeasonPasses.cheapestAt(square, List.of(long3, short1)));
        same("17", SeasonPasses.cheapestAt(dock, List.of(long3, short1)));
    }

    private static List<Stop> listed(Iterable<Stop> stops) {
        List<Stop> all = new ArrayList<>();
        stops.forEach(all::add);
        return all;
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
