package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.Holdings;
import dev.verbena.transfer.TransferException;

/** Whatever a peer says is a message or a {@link TransferException}, and reading it leaves nothing; {@code -Dverbena.malformed=1000000} says more. */
class MalformedMessagesTest {
    private static final int COUNT = Integer.getInteger("verbena.malformed", 100_000);
    private static final PlacementAnswer ANSWER = new PlacementAnswer(true, true, 1, 2, 3, 4, 6, 5);

    /** Changed, cut and lengthened at random; some of it stays good, or the mutations would be too coarse to reach the end. */
    private static void mutate(byte[] good, Consumer<byte[]> decode) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int refused = 0;
        Holdings before = Holdings.now();
        for (int i = 0; i < COUNT; i++) {
            byte[] bytes = random.nextInt(4) == 0 ? Arrays.copyOf(good, random.nextInt(good.length + 8)) : good.clone();
            for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                decode.accept(bytes);
            } catch (TransferException e) {
                refused++;
            } catch (Throwable e) {
                throw new AssertionError("seed=" + seed + " message=" + Arrays.toString(bytes), e);
            }
        }
        assertTrue(refused > 0 && refused < COUNT, "seed=" + seed + " refused=" + refused + " of " + COUNT);
        before.assertNothingMore("seed=" + seed);
    }

    @Test
    void framesAreReadOrRefused() {
        mutate(new RpcFrame(RpcFrame.Kind.REQUEST, 7, "method", new byte[20]).encode(),
                bytes -> RpcFrame.decode(ByteBuffer.wrap(bytes)));
    }

    @Test
    void placementRequestsAreReadOrRefused() {
        mutate(new PlacementRequest(PlacementProtocol.STATIC, "name", ElementType.FLOAT32, Shape.of(2, 3), 1, 2,
                5, true, 3, 4, "plan").encode(),
                PlacementRequest::decode);
    }

    @Test
    void placementAnswersAreReadOrRefused() {
        mutate(ANSWER.encode(), PlacementAnswer::decode);
    }

    @Test
    void farewellsAreReadOrRefused() {
        mutate(new Farewell(1, 2, 3).encode(), Farewell::decode);
    }

    @Test
    void anAnswerThatCannotBeIsRefused() {
        byte[] good = ANSWER.encode();
        assertThrows(TransferException.class, () -> PlacementAnswer.decode(Arrays.copyOf(good, good.length + 1)));
        for (PlacementAnswer bad : new PlacementAnswer[]{new PlacementAnswer(true, true, 1, 0, 3, 4, 6, 5),
                new PlacementAnswer(true, true, 1, SlotLayout.DEPTH_MAX + 1, 3, 4, 6, 5),
                new PlacementAnswer(true, true, 1, 2, 3, 4, -1, -1),
                new PlacementAnswer(true, true, 1, 2, 3, 4, 5, 6), new PlacementAnswer(true, true, 1, 2, 3, 4, 8, 5),
                new PlacementAnswer(true, true, 1, 2, 3, 4, 1, -1)}) {
            assertThrows(TransferException.class, () -> PlacementAnswer.decode(bad.encode()), bad.toString());
        }
        byte[] request = new PlacementRequest(PlacementProtocol.STATIC, "n", ElementType.INT8, Shape.of(1), 1,
                2, 1, true, 3, 4, "").encode();
        assertThrows(TransferException.class,
                () -> PlacementRequest.decode(Arrays.copyOf(request, request.length + 1)));
    }
}
