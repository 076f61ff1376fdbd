package dev.verbena.stress.soak;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/** Lives one after the other, each a thread that starts its heir when it dies; every fourth is a virtual one. */
final class Line {
    private static final int VIRTUAL_SHARE = 4;

    private final Surroundings surroundings;
    private final int number;
    private final SplittableRandom random;
    private final Hands hands = new Hands();
    private final CountDownLatch end;
    private int lifeNumber;

    /** {@code end} is counted down when the last of them is dead. */
    Line(Surroundings surroundings, int number, SplittableRandom random, CountDownLatch end) {
        this.surroundings = surroundings;
        this.number = number;
        this.random = random;
        this.end = end;
    }

    void startNext() {
        lifeNumber++;
        String name = "soak-" + number + "-" + lifeNumber;
        if (lifeNumber % VIRTUAL_SHARE == 0) {
            Thread.ofVirtual().name(name).start(this::liveOn);
        } else {
            Thread.ofPlatform().name(name).start(this::liveOn);
        }
    }

    /** When all lines have ended. */
    void freeAll() {
        hands.freeDownTo(0, random);
    }

    private void liveOn() {
        Life life = new Life(surroundings, number % 2 == 1, hands, random.split());
        try {
            life.run();
        } catch (Throwable e) {
            surroundings
                    .fail(new SoakFailure("thread=" + Thread.currentThread().getName() + " " + life.position() + ": "
                            + (e instanceof SoakFailure ? e.getMessage() : e.toString()), e));
        }
        if (surroundings.isStopping()) {
            end.countDown();
        } else {
            startNext();
        }
    }
}
