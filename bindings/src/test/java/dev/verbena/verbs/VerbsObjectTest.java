package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;
import dev.verbena.verbs.ffi.Guard;

/** An object is open, or closed and nobody's child. */
class VerbsObjectTest {
    private static final class Thing extends VerbsObject {
        private final Runnable destroy;

        Thing(Runnable destroy, VerbsObject... parents) {
            super("thing", parents);
            this.destroy = destroy;
        }

        @Override
        void destroy() {
            destroy.run();
        }
    }

    @Test
    void whateverKeepsItFromBeingDestroyedKeepsItOpen() {
        Thing parent = new Thing(() -> {});
        boolean[] isInGroup = {true};
        Thing child = new Thing(() -> {
            if (isInGroup[0]) {
                throw new IllegalStateException("leave the group first");
            }
        }, parent);
        assertThrows(IllegalStateException.class, child::close);
        assertTrue(child.isOpen());
        assertDoesNotThrow(() -> child.runWhileOpen(() -> {}));
        child.guard().enter(Guard.SEND);
        child.guard().leave(Guard.SEND);
        assertThrows(IllegalStateException.class, parent::close);
        isInGroup[0] = false;
        child.close();
        parent.close();
        assertFalse(parent.isOpen());
    }

    @Test
    void memoryInANativeCallIsFreedWithTheNext() {
        Arena inCall = Arena.ofShared();
        MemorySegment memory = inCall.allocate(2);
        DuringANativeCall.run(memory, () -> {
            UnusedMemory.free(inCall);
            assertTrue(inCall.scope().isAlive(), "freed under the call");
        });
        Arena next = Arena.ofShared();
        UnusedMemory.free(next);
        assertFalse(next.scope().isAlive());
        assertFalse(inCall.scope().isAlive());
    }
}
