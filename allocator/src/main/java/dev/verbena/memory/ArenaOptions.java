package dev.verbena.memory;

/**
 * How an arena differs from the default one.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param viewsEndWithTensors whether {@link Tensor#memory()} and {@link Tensor#asByteBuffer()} give views that throw once the tensor's
 *            memory has gone back, instead of reading and writing what is there next. The free of a tensor that was looked at then makes
 *            all threads pass a handshake, some ten microseconds; of others it costs some nanoseconds
 */
public record ArenaOptions(boolean viewsEndWithTensors) {
    /** Views are not looked after. */
    public static ArenaOptions defaults() {
        return new ArenaOptions(false);
    }

    public ArenaOptions withViewsEndingWithTensors() {
        return new ArenaOptions(true);
    }
}
