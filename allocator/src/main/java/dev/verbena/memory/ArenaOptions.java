package dev.verbena.memory;

/**
 * How an arena differs from the default one.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param viewsEndWithTensors whether {@link Tensor#memory()} and {@link Tensor#asByteBuffer()} give views that throw once the tensor's
 *            memory has gone back, instead of reading and writing what is there next. The free of a tensor that was looked at then makes
 *            all threads pass a handshake, some ten microseconds; of others it costs some nanoseconds
 * @param siteInterval of how many allocations, on average, one has its site, for {@link TensorArena#liveReport} and the message about leaks;
 *            0 for none, which costs nothing. Otherwise one that has costs some microseconds, each other one and each free some ten
 *            nanoseconds
 */
public record ArenaOptions(boolean viewsEndWithTensors, int siteInterval) {
    /** Throws {@link IllegalArgumentException} if the interval is negative. */
    public ArenaOptions {
        if (siteInterval < 0) {
            throw new IllegalArgumentException("siteInterval=" + siteInterval + "; give 0, or of how many allocations"
                    + " one shall have its site");
        }
    }

    /** Views are not looked after, no allocation has its site. */
    public static ArenaOptions defaults() {
        return new ArenaOptions(false, 0);
    }

    /** Views throw once their tensor is freed; off unless set. Each free of a tensor that was looked at then takes some ten microseconds. */
    public ArenaOptions withViewsEndingWithTensors() {
        return new ArenaOptions(true, siteInterval);
    }

    /** Remembers where one in so many allocations, drawn at random, was made: 1 for each, 0 for none, which is the default. */
    public ArenaOptions withSiteInterval(int siteInterval) {
        return new ArenaOptions(viewsEndWithTensors, siteInterval);
    }
}
