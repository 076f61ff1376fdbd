package dev.verbena.verbs.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

/** Nobody is in an object that is being destroyed; and guards that do not keep that are found out. */
class GuardTest {
    private static final int ROUNDS = 2_000;
    private static final long HANG_S = 60;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    /** As bytes a string of length 4, and one of length 0. */
    private static final long ALIVE = 0x01010101L;
    private static final long DESTROYED = 0;
    /** size_t strlen(const char *s), with and without the transition out of Java. */
    private static final MethodHandle STRLEN = strlen();
    private static final MethodHandle STRLEN_CRITICAL = strlen(Linker.Option.critical(false));
    /** Reads of the object in each call, so that a close meets a call. */
    private static final int READS = 50;

    /** What a guard does, so that the same stress can be put on broken ones. */
    private interface Gate {
        void enter();

        void leave();

        void close();
    }

    private static final class Closed extends IllegalStateException {
        private static final long serialVersionUID = 1L;
    }

    private static Gate real(int lane) {
        Guard guard = new Guard(Closed::new);
        return gate(() -> guard.enter(lane), () -> guard.leave(lane), guard::close);
    }

    private static Gate gate(Runnable enter, Runnable leave, Runnable close) {
        return new Gate() {
            @Override
            public void enter() {
                enter.run();
            }

            @Override
            public void leave() {
                leave.run();
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }

    @Test
    void nobodyIsInAnObjectThatIsDestroyed() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            assertEquals(0, callsAfterDestruction(real(round % 2), GuardTest::isAlive), "round " + round);
        }
    }

    @Test
    void norInANativeCallOnIt() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            MethodHandle strlen = round % 4 < 2 ? STRLEN : STRLEN_CRITICAL;
            assertEquals(0, callsAfterDestruction(real(round % 2), object -> isAlive(strlen, object)),
                    "round " + round);
        }
    }

    @Test
    void aGuardThatDoesNotWaitForCallsIsFoundOut() throws Exception {
        assertFoundOut(() -> {
            Arena arena = Arena.ofShared();
            MemorySegment open = arena.allocate(1);
            return gate(() -> open.set(ValueLayout.JAVA_BYTE, 0, (byte) 1), () -> {}, arena::close);
        });
    }

    @Test
    void aGuardThatLetsCallsInAfterItsCloseIsFoundOut() throws Exception {
        assertFoundOut(() -> {
            Guard guard = new Guard(Closed::new);
            return gate(() -> {
                try {
                    guard.enter(Guard.SEND);
                } catch (Closed ignored) {
                    // The caller goes on.
                }
            }, () -> guard.leave(Guard.SEND), guard::close);
        });
    }

    @Test
    void aGuardThatForgetsACallIsFoundOut() throws Exception {
        assertFoundOut(() -> {
            Guard guard = new Guard(Closed::new);
            return gate(() -> guard.enter(Guard.RECEIVE), () -> guard.leave(Guard.RECEIVE), () -> {
                guard.leave(Guard.RECEIVE);
                guard.close();
            });
        });
    }

    @Test
    void enteringAClosedGuardSaysWhoseItIs() {
        Closed closed = new Closed();
        Guard guard = new Guard(() -> closed);
        guard.enter(Guard.SEND);
        guard.leave(Guard.SEND);
        guard.close();
        assertSame(closed, assertThrows(Closed.class, () -> guard.enter(Guard.SEND)));
        assertSame(closed, assertThrows(Closed.class, () -> guard.enter(Guard.RECEIVE)));
    }

    @Test
    void closeWaitsForACallOnEitherLane() throws Exception {
        for (int lane : new int[]{Guard.SEND, Guard.RECEIVE}) {
            Guard guard = new Guard(Closed::new);
            guard.enter(lane);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(guard::close);
            // Closed for newcomers long before it returns.
            while (isOpen(guard, 1 - lane)) {
                Thread.onSpinWait();
            }
            assertFalse(closing.isDone(), "closed while a call was in lane " + lane);
            guard.leave(lane);
            closing.get(HANG_S, TimeUnit.SECONDS);
        }
    }

    private static MethodHandle strlen(Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(
                Linker.nativeLinker().defaultLookup().find("strlen").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS), options);
    }

    private static boolean isAlive(MethodHandle strlen, MemorySegment object) {
        try {
            return (long) strlen.invokeExact(object) == 4;
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    private static boolean isAlive(MemorySegment object) {
        for (int i = 0; i < READS; i++) {
            if ((long) LONG.getOpaque(object, 0L) != ALIVE) {
                return false;
            }
            if (i == READS / 2) {
                // Compiled, the loop alone would never be stopped within.
                Thread.yield();
            }
        }
        return true;
    }

    private static boolean isOpen(Guard guard, int lane) {
        try {
            guard.enter(lane);
            guard.leave(lane);
            return true;
        } catch (Closed closed) {
            return false;
        }
    }

    private static void assertFoundOut(Supplier<Gate> broken) throws Exception {
        for (int round = 0; round < 20 * ROUNDS; round++) {
            if (callsAfterDestruction(broken.get(), GuardTest::isAlive) > 0) {
                return;
            }
        }
        throw new AssertionError("the stress finds nothing wrong with a guard that is");
    }

    /** A thread calls without pause while this one closes; how often it found the object destroyed within a call. */
    private static int callsAfterDestruction(Gate gate, Predicate<MemorySegment> isAlive) throws Exception {
        MemorySegment object = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
        object.set(ValueLayout.JAVA_LONG, 0, ALIVE);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Integer> caller = CompletableFuture.supplyAsync(() -> {
            try {
                while (true) {
                    gate.enter();
                    if (!isAlive.test(object)) {
                        return 1;
                    }
                    gate.leave();
                    running.countDown();
                }
            } catch (IllegalStateException closed) {
                return 0;
            }
        });
        assertTrue(running.await(HANG_S, TimeUnit.SECONDS), "the caller does not come in");
        gate.close();
        LONG.setOpaque(object, 0L, DESTROYED);
        return caller.get(HANG_S, TimeUnit.SECONDS);
    }
}
