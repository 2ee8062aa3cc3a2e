package tramway.routing;

/** What a passenger dislikes, in seconds. */
@FunctionalInterface
public interface CostModel {
    CostModel TIME = leg -> leg.seconds();

    double cost(Leg leg);

    /** The same model, with a penalty for every leg. */
    default CostModel withChange(double penalty) {
        return leg -> cost(leg) + penalty;
    }

    /** Walking feels longer than it takes. */
    static CostModel dislikingWalks(double factor) {
        return leg -> {
            double seconds = leg.seconds();
            if (leg instanceof Leg.Walk) {
                seconds *= factor;
            }
            return seconds;
        };
    }

    /** Several models at once. */
    static CostModel sum(CostModel... models) {
        return leg -> {
            double total = 0;
            for (CostModel model : models) {
                total += model.cost(leg);
            }
            return total;
        };
    }
}
