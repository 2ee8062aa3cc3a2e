package tramway.fleet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tramway.network.Line;
import tramway.network.LineKind;

/** Where vehicles spend the night: on tracks, each a dead end. */
public class Depot {
    private final TreeMap<Integer, Vehicle> vehicles = new TreeMap<>();
    private final Map<String, Deque<Vehicle>> tracks = new HashMap<>();
    private final Vehicle[] pits;

    /**
     * Creates an empty depot.
     *
     * @param pits how many vehicles can be repaired at a time
     */
    public Depot(int pits) {
        this.pits = new Vehicle[pits];
    }

    /** Adds a vehicle to the fleet. */
    public Vehicle add(Vehicle vehicle) {
        vehicles.put(vehicle.getNumber(), vehicle);
        return vehicle;
    }

    /** The vehicle with a number; {@code null} if the fleet has none. */
    public Vehicle vehicle(int number) {
        return vehicles.get(number);
    }

    /** How many people can sit in a vehicle. */
    public int seats(int number) {
        Vehicle vehicle = vehicle(number);
        return vehicle.getSeats();
    }

    /** Tells whether a vehicle is there and works. */
    public boolean isReady(int number) {
        Vehicle vehicle = vehicle(number);
        return vehicle != null && !vehicle.isBroken();
    }

    /** Drives a vehicle onto a track. */
    public void park(Vehicle vehicle, String track) {
        tracks.computeIfAbsent(track, key -> new ArrayDeque<>()).push(vehicle);
    }

    /** The track with a name; {@code null} if nothing was ever parked there. */
    public Deque<Vehicle> track(String name) {
        return tracks.get(name);
    }

    /** How many vehicles stand on a track. */
    public int parked(String name) {
        Deque<Vehicle> track = track(name);
        return track == null ? 0 : track.size();
    }

    /** Drives the first vehicle off a track. */
    public Vehicle drive(String name) {
        Deque<Vehicle> track = track(name);
        return track.poll();
    }

    /** The first vehicle on a track; {@code null} if the track is empty. */
    public Vehicle first(String name) {
        Deque<Vehicle> track = track(name);
        return track == null ? null : track.peek();
    }

    /** What the gate's screen shows about a track. */
    public String gate(String name) {
        return name + ": " + first(name).getNumber();
    }

    /** Sends the first vehicle of a track to a line. */
    public boolean dispatch(String name, Line line) {
        Vehicle vehicle = first(name);
        if (vehicle == null || !vehicle.assign(line)) {
            return false;
        }
        drive(name);
        return true;
    }

    /** Puts a broken vehicle over a free pit; {@code false} if there is none. */
    public boolean repair(Vehicle vehicle) {
        for (int i = 0; i < pits.length; i++) {
            if (pits[i] == null) {
                pits[i] = vehicle;
                vehicle.setBroken(true);
                return true;
            }
        }
        return false;
    }

    /** The vehicle over a pit; {@code null} if the pit is free. */
    public Vehicle overPit(int pit) {
        return pits[pit];
    }

    /** Ends a repair and gives the vehicle's number; -1 if the pit was free. */
    public int release(int pit) {
        Vehicle vehicle = overPit(pit);
        if (vehicle == null) {
            return -1;
        }
        vehicle.setBroken(false);
        pits[pit] = null;
        return vehicle.getNumber();
    }

    /** A line of the workshop's list. */
    public String pitLine(int pit) {
        Vehicle vehicle = overPit(pit);
        return pit + " " + (vehicle == null ? "free" : vehicle.toString());
    }

    /** The number that the next new vehicle gets: one above the highest. */
    public int nextNumber() {
        return vehicles.lastEntry().getKey() + 1;
    }

    /** The vehicles of a kind, by number. */
    public List<Vehicle> ofKind(LineKind kind) {
        List<Vehicle> found = new ArrayList<>();
        for (Vehicle vehicle : vehicles.values()) {
            if (vehicle.getKind() == kind) {
                found.add(vehicle);
            }
        }
        return found;
    }

    /** The seats of the largest vehicle of a kind. */
    public int mostSeats(LineKind kind) {
        Vehicle largest = null;
        for (Vehicle vehicle : ofKind(kind)) {
            if (largest == null || vehicle.getSeats() > largest.getSeats()) {
                largest = vehicle;
            }
        }
        return largest.getSeats();
    }

    /** A working vehicle that replaces another one; {@code null} if there is none of its kind. */
    public Vehicle spareFor(Vehicle vehicle) {
        for (Vehicle other : ofKind(vehicle.getKind())) {
            if (other != vehicle && !other.isBroken() && other.getLine() == null) {
                return other;
            }
        }
        return null;
    }

    /** Sends a spare vehicle to the line of one that has broken down. */
    public String replace(Vehicle vehicle) {
        Line line = vehicle.getLine();
        Vehicle spare = spareFor(vehicle);
        vehicle.setBroken(true);
        if (line != null) {
            spare.assign(line);
        }
        return line == null ? "nothing to do" : "sent " + line.label();
    }
}
