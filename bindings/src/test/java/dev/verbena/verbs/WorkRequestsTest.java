package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import dev.verbena.verbs.ffi.Availability;

/** Requests reach no further than their own. */
class WorkRequestsTest {
    private static final int CAPACITY = 2;

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(Availability.problem() == null, Availability::problem);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, CAPACITY, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void thereAreNoOthers(int index) {
        ReceiveRequests receives = new ReceiveRequests(CAPACITY, 1);
        long element = receives.get(0).elements().address();
        assertThrows(IndexOutOfBoundsException.class, () -> receives.get(index).receive(1));
        assertThrows(IndexOutOfBoundsException.class, () -> new SendRequests(CAPACITY, 1).get(index));
        assertThrows(IndexOutOfBoundsException.class, () -> receives.last(index, 1));
        assertEquals(element, receives.get(0).elements().address());
    }

    @Test
    void eachHasElementsOfItsOwn() {
        ReceiveRequests receives = new ReceiveRequests(CAPACITY, 2);
        ReceiveRequest first = receives.get(0).receive(1);
        ReceiveRequest second = receives.get(1).receive(2);
        first.addElement(64, 8, 3);
        second.addElement(128, 16, 4);
        second.addElement(192, 24, 5);
        assertEquals(1, first.elementCount());
        assertEquals(64, first.elementAddress());
        assertEquals(8, first.elementByteSize(0));
        assertEquals(2, second.elementCount());
        assertEquals(24, second.elementByteSize(1));
        IllegalArgumentException full = assertThrows(IllegalArgumentException.class,
                () -> second.addElement(256, 1, 6));
        assertTrue(full.getMessage().contains("element number=3"), full::getMessage);
        assertThrows(IllegalArgumentException.class, () -> first.addElement(64, 1L << 32, 3));
        assertEquals(0, second.receive(3).elementCount());
        assertEquals(3, second.workRequestId());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void listsOfNoRequestsAreRefused(int capacity) {
        assertThrows(IllegalArgumentException.class, () -> new ReceiveRequests(capacity, 1));
        assertThrows(IllegalArgumentException.class, () -> new SendRequests(capacity, 1));
        assertThrows(IllegalArgumentException.class, () -> new SendRequests(1, capacity - 1));
        assertThrows(IllegalArgumentException.class, () -> new ReceiveRequests(1, capacity - 1));
        assertThrows(IllegalArgumentException.class, () -> new SendRequests(1, 1, capacity - 1));
    }
}
