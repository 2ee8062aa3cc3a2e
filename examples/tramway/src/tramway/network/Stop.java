package tramway.network;

import tramway.geo.Point;

/** Where trams stop. */
public class Stop implements Labelled, Comparable<Stop> {
    private final String id;
    private final String name;
    private final Point place;
    private int zone;
    private boolean stepFree;

    public Stop(String id, String name, Point place) {
        this.id = id;
        this.name = name;
        this.place = place;
    }

    public String getId() {
        return id;
    }

    public String getName() {
        return name;
    }

    /** Where the stop is; {@code null} if nobody measured it yet. */
    public Point getPlace() {
        return place;
    }

    public int getZone() {
        return zone;
    }

    public void setZone(int zone) {
        this.zone = zone;
    }

    public boolean isStepFree() {
        return stepFree;
    }

    public void setStepFree(boolean stepFree) {
        this.stepFree = stepFree;
    }

    /** The way to another stop on foot, in metres as the crow flies. */
    public double walkTo(Stop other) {
        Point there = other.getPlace();
        return place.distanceTo(there);
    }

    @Override
    public String label() {
        return stepFree ? name + " ♿" : name;
    }

    /** Orders stops by name, whatever its case, then by id. */
    @Override
    public int compareTo(Stop other) {
        int byName = name.compareToIgnoreCase(other.name);
        return byName == 0 ? id.compareTo(other.id) : byName;
    }

    @Override
    public boolean equals(Object other) {
        if (other instanceof Stop) {
            return id.equals(((Stop) other).id);
        }
        return false;
    }

    @Override
    public int hashCode() {
        return 31 + id.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
