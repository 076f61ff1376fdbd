package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_ah_attr;

/** Nothing of the way to a peer is lost on the way to C and back. */
class AddressVectorTest {
    @Test
    void comesBackWhole() {
        AddressVector there = new AddressVector(1, true, Gid.ZERO, 2, 3, 4, 5, 6, 7, 8, 9);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_ah_attr.allocate(arena);
            there.write(attributes);
            assertEquals(9, ibv_ah_attr.src_path_bits(attributes));
            assertEquals(there, AddressVector.read(attributes));
        }
    }

    @Test
    void eachPartIsChangedAlone() {
        AddressVector there = AddressVector.toLid(1, 2).withSourcePathBits(127).withLid(3).withQuality(4, 5);
        assertEquals(new AddressVector(1, false, Gid.ZERO, 0, 0, 5, 0, 3, 4, 0, 127), there);
    }
}
