package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.memory.PinState.State;

/** Every move in the table of {@link PinState}. */
class PinStateTest {
    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final AtomicInteger released = new AtomicInteger();
    private Slab slab;

    @BeforeEach
    void acquire() {
        slab = source.acquire(4096);
    }

    @AfterEach
    void release() {
        source.release(slab);
    }

    /** Steps that lead to the state, then the event: p(in), s(hare), u(npin), c(lose), l(end). */
    @ParameterizedTest
    @CsvSource({
            // LIVE
            "'',  p, PINNED,  0", "'',  u, error,   0", "'',  c, FREE,    1",
            "'',  s, PINNED,  0", "'',  l, error,   0",
            // PINNED, once and twice
            "p,   p, PINNED,  0", "p,   u, LIVE,    0", "p,   c, CLOSING, 0", "pp,  u, PINNED,  0",
            "p,   s, PINNED,  0", "ps,  u, PINNED,  0", "p,   l, error,   0",
            // CLOSING, once and twice pinned
            "pc,  p, error,   0", "pc,  u, FREE,    1", "pc,  c, error,   0", "ppc, u, CLOSING, 0",
            "pc,  s, CLOSING, 0", "pcs, u, CLOSING, 0", "pcsu, u, FREE, 1",
            "pc,  l, error,   0",
            // FREE, by close and by unpin
            "c,   p, error,   1", "c,   u, error,   1", "c,   c, error,   1", "pcu, u, error,   1", "pcu, c, error, 1",
            "c,   s, error,   1", "pcu, s, error,   1", "c,   l, CLOSING, 1", "cl,  u, FREE,    2",
            "cl,  s, CLOSING, 1",
            "cl,  l, error,   1", "cl,  c, error,   1", "cl,  p, error,   1"})
    void movesAsTheTableSays(String steps, String event, String outcome, int releasedAfter) {
        Tensor tensor = tensor();
        steps.chars().forEach(step -> event((char) step).accept(tensor));
        State before = tensor.state();
        int pins = tensor.pins();
        if (outcome.equals("error")) {
            assertThrows(IllegalStateException.class, () -> event(event.charAt(0)).accept(tensor));
            assertEquals(before, tensor.state());
            assertEquals(pins, tensor.pins());
        } else {
            event(event.charAt(0)).accept(tensor);
            assertEquals(State.valueOf(outcome), tensor.state());
        }
        assertEquals(releasedAfter, released.get());
    }

    @Test
    void theMessagesNameTheTensor() {
        Tensor tensor = tensor();
        assertMessage("unpin without pin", tensor::unpin);
        tensor.close();
        assertMessage("double free", tensor::close);
        assertMessage("use after free", tensor::memory);
        assertMessage("use after free", tensor::address);
        assertMessage("use after free", tensor::asByteBuffer);
        assertMessage("use after free", () -> tensor.reshaped(Shape.of(2, 3)));
        assertMessage("pin after free", tensor::pin);
    }

    @Test
    void aReshapedAliasIsTheSameTensor() {
        Tensor tensor = tensor();
        Tensor alias = tensor.reshaped(Shape.of(2, 3));
        assertTrue(alias.sharesStorageWith(tensor));
        assertEquals(tensor.address(), alias.address());
        alias.close();
        assertMessage("double free", tensor::close);
        assertEquals(1, released.get());
    }

    @Test
    void closeAndUnpinAtTheSameTimeReleaseOnce() throws Exception {
        int rounds = 2_000;
        CyclicBarrier start = new CyclicBarrier(3);
        Tensor[] tensors = new Tensor[rounds];
        for (int round = 0; round < rounds; round++) {
            tensors[round] = tensor();
            tensors[round].pin();
            tensors[round].pin();
        }
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            Future<?> closing = executor.submit(() -> forEach(tensors, start, Tensor::close));
            Future<?> unpinning = executor.submit(() -> forEach(tensors, start, Tensor::unpin));
            Future<?> unpinningToo = executor.submit(() -> forEach(tensors, start, Tensor::unpin));
            closing.get();
            unpinning.get();
            unpinningToo.get();
        }
        assertEquals(rounds, released.get());
    }

    private static Void forEach(Tensor[] tensors, CyclicBarrier start, Consumer<Tensor> action) throws Exception {
        start.await();
        for (Tensor tensor : tensors) {
            action.accept(tensor);
        }
        return null;
    }

    private void assertMessage(String start, Runnable action) {
        String message = assertThrows(IllegalStateException.class, action::run).getMessage();
        assertTrue(message.startsWith(start) && message.contains("FLOAT32[6]"), message);
    }

    private static Consumer<Tensor> event(char name) {
        return switch (name) {
            case 'p' -> Tensor::pin;
            case 's' -> Tensor::sharePin;
            case 'u' -> Tensor::unpin;
            case 'c' -> Tensor::close;
            case 'l' -> tensor -> tensor.lend(tensor);
            default -> throw new IllegalArgumentException("event " + name);
        };
    }

    private Tensor tensor() {
        return Tensor.over(slab, 64, ElementType.FLOAT32, Shape.of(6), released::incrementAndGet);
    }
}
