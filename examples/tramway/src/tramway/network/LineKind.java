package tramway.network;

/** What runs on a line. */
public enum LineKind implements Labelled {
    TRAM(20) {
        @Override
        public String label() {
            return "tram";
        }
    },
    BUS(25) {
        @Override
        public String label() {
            return "bus";
        }

        @Override
        public int dwell(int passengers) {
            // One door, and the driver sells tickets.
            return 10 + 4 * passengers;
        }
    },
    FUNICULAR(8) {
        @Override
        public String label() {
            return "funicular";
        }

        @Override
        public int dwell(int passengers) {
            return 120;
        }
    };

    private final int speed;

    LineKind(int speed) {
        this.speed = speed;
    }

    /** Seconds a vehicle stands at a stop while people get on. */
    public int dwell(int passengers) {
        return 15 + passengers / 2;
    }

    /**
     * Estimates how long a vehicle takes from stop to stop.
     *
     * @param metres the way between them
     * @return whole seconds, rounded up
     */
    public int travelSeconds(double metres) {
        return (int) Math.ceil(metres * 3.6 / speed);
    }
}
