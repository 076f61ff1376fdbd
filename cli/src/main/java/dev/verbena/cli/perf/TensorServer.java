package dev.verbena.cli.perf;

/**
 * The server of tensors: does what the client says.
 *
 * <p>Threading: confined to the command's thread.
 */
final class TensorServer {
    private final TensorLink link;
    private final boolean touches;
    private final JitActivity jit = new JitActivity();

    TensorServer(TensorLink link, boolean touches) {
        this.link = link;
        this.touches = touches;
    }

    void run() {
        for (TensorRound round = next(); round.kind() != TensorRound.Kind.END; round = next()) {
            serve(round);
        }
    }

    private TensorRound next() {
        return TensorRound.of(link.await());
    }

    /** All rounds of a size, by one protocol. */
    private void serve(TensorRound open) {
        int slots = (int) open.count();
        try (TensorEnds ends = new TensorEnds(link, open.protocol(), open.byteSize(), slots,
                open.kind() == TensorRound.Kind.OPEN_EVEN ? slots : 1, touches)) {
            ends.connect();
            link.tell(0);
            for (TensorRound round = next(); round.kind() != TensorRound.Kind.CLOSE; round = next()) {
                jit.takeMs();
                link.tell(0);
                play(round, ends);
                link.tell(jit.takeMs());
            }
        }
        link.tell(0);
    }

    private void play(TensorRound round, TensorEnds ends) {
        switch (round.kind()) {
            case CHECK -> {
                ends.receivePattern(round.count());
                ends.sendPattern(-round.count());
            }
            case PING -> ping(ends, round.count());
            case ASK -> answer(ends, round.count());
            case STREAM -> stream(ends, round.count());
            default -> throw new IllegalStateException("the client says " + round);
        }
    }

    private static void ping(TensorEnds ends, long count) {
        for (long i = 0; i < count; i++) {
            ends.receive(i);
            ends.send(i);
        }
    }

    private void answer(TensorEnds ends, long count) {
        for (long i = 0; i < count; i++) {
            link.await();
            ends.send(i);
        }
    }

    private static void stream(TensorEnds ends, long count) {
        for (long i = 0; i < count; i++) {
            ends.receive(i);
        }
        ends.send(count);
    }
}
