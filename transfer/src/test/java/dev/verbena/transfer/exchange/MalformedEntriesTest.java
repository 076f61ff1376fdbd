package dev.verbena.transfer.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.TransferException;

/** Whatever a peer writes into a slot is a message of an exchange or a {@link TransferException}; {@code -Dverbena.malformed=1000000} says more. */
class MalformedEntriesTest {
    private static final int COUNT = Integer.getInteger("verbena.malformed", 100_000);
    private static final byte[] NAME = "name".getBytes(StandardCharsets.UTF_8);
    private static final Shape SHAPE = Shape.of(2, 3);

    private long end;

    /** One entry of each kind, at the end of the slot. */
    private MemorySegment message(Arena arena) {
        MemorySegment message = arena.allocate(ExchangeEntry.MESSAGE_BYTE_SIZE, ExchangeEntry.WORD);
        end = 0;
        int told = ExchangeEntry.NAMED | ExchangeEntry.SHAPED | ExchangeEntry.CHECKED;
        add(message, ExchangeEntry.Kind.EAGER, told, 6, 6);
        add(message, ExchangeEntry.Kind.RENDEZVOUS, 0, 6, ExchangeEntry.PLACE_BYTE_SIZE);
        add(message, ExchangeEntry.Kind.WITHDRAWAL, 0, 6, ExchangeEntry.PLACE_BYTE_SIZE);
        add(message, ExchangeEntry.Kind.BYTES, 0, 11, 11);
        add(message, ExchangeEntry.Kind.ERROR, 0, 3, 3);
        add(message, ExchangeEntry.Kind.DEAD, 0, 0, 0);
        long byteSize = ExchangeEntry.end(message, end);
        MemorySegment slot = arena.allocate(ExchangeEntry.MESSAGE_BYTE_SIZE, ExchangeEntry.WORD);
        MemorySegment.copy(message, 0, slot, ExchangeEntry.MESSAGE_BYTE_SIZE - byteSize, byteSize);
        return slot;
    }

    private void add(MemorySegment message, ExchangeEntry.Kind kind, int flags, long byteSize, long payloadByteSize) {
        long at = ExchangeEntry.write(message, end, kind, flags, NAME, 0, 7, ElementType.UINT8, SHAPE, byteSize, 5);
        end = at + ExchangeEntry.padded(payloadByteSize);
    }

    /** @return entries */
    private static int read(MemorySegment slot) {
        ExchangeEntry entry = new ExchangeEntry();
        ExchangeArrival arrival = new ExchangeArrival();
        int count = 0;
        for (long at = ExchangeEntry.begin(slot); !ExchangeEntry.isEnd(at); count++) {
            at = entry.read(slot, at);
            arrival.take(entry);
        }
        return count;
    }

    @Test
    void messagesAreReadOrRefused() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int refused = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment good = message(arena);
            assertEquals(6, read(good));
            MemorySegment slot = arena.allocate(ExchangeEntry.MESSAGE_BYTE_SIZE, ExchangeEntry.WORD);
            int used = (int) (end + ExchangeEntry.WORD);
            for (int i = 0; i < COUNT; i++) {
                slot.copyFrom(good);
                for (int changes = random.nextInt(4); changes > 0; changes--) {
                    long at = ExchangeEntry.MESSAGE_BYTE_SIZE - 1 - random.nextInt(used);
                    slot.set(ValueLayout.JAVA_BYTE, at, (byte) (random.nextBoolean() ? random.nextInt()
                            : slot.get(ValueLayout.JAVA_BYTE, at) + random.nextInt(3) - 1));
                }
                try {
                    assertTrue(read(slot) > 0, "seed=" + seed + " round=" + i);
                } catch (TransferException e) {
                    refused++;
                } catch (RuntimeException e) {
                    throw new AssertionError("seed=" + seed + " round=" + i, e);
                }
            }
        }
        assertTrue(refused > 0 && refused < COUNT, "seed=" + seed + " refused=" + refused + " of " + COUNT);
    }

    @Test
    void whatWasNeverToldIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = message(arena);
            ExchangeEntry entry = new ExchangeEntry();
            long second = entry.read(slot, ExchangeEntry.begin(slot));
            assertEquals("name", entry.name());
            entry.forget();
            String message = assertThrows(TransferException.class, () -> entry.read(slot, second)).getMessage();
            assertEquals("malformed entry of an exchange: unknown nameId=0", message);
        }
    }
}
