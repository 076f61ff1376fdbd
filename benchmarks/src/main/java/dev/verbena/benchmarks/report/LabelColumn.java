package dev.verbena.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Labels of lines above each other, each as near to its line as there is room: those that would overlap stand together, around the mean of
 * where they want to be (isotonic regression, pooling adjacent violators), and none leaves the plot.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class LabelColumn {
    /** Labels from {@code first} on that stand together, without the room that each has. */
    private record Group(int first, int count, double place) {
        Group with(Group above) {
            int both = count + above.count;
            return new Group(first, both, (place * count + above.place * above.count) / both);
        }
    }

    private LabelColumn() {}

    /** @param wanted ascending */
    static double[] places(double[] wanted, double room, double low, double high) {
        List<Group> groups = new ArrayList<>();
        for (int i = 0; i < wanted.length; i++) {
            groups.add(new Group(i, 1, wanted[i] - i * room));
            while (groups.size() > 1 && groups.get(groups.size() - 2).place >= groups.getLast().place) {
                Group above = groups.removeLast();
                groups.add(groups.removeLast().with(above));
            }
        }
        double[] places = new double[wanted.length];
        for (Group group : groups) {
            for (int i = group.first; i < group.first + group.count; i++) {
                double top = high - (wanted.length - i - .5) * room;
                places[i] = Math.max(low + (i + .5) * room, Math.min(top, group.place + i * room));
            }
        }
        return places;
    }
}
