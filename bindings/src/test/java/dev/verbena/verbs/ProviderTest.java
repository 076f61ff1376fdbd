package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.ffi.LibC;
import dev.verbena.verbs.ffi.Availability;

/** Whose code is called is told by the code. */
class ProviderTest {
    @ParameterizedTest
    @CsvSource({"/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so,rxe", "libsiw-rdmav25.so,siw",
            "/lib64/libmlx5.so.1.24.44.0,mlx5", "/build/lib/libmlx4.so.1,mlx4", "libbnxt_re-rdmav34.so,bnxt_re",
            "libhfi1verbs-rdmav34.so,hfi1verbs"})
    void isNamedInTheFile(String file, String name) {
        assertEquals(name, Provider.ofFile(file).name());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "java", "/usr/bin/qemu-x86_64", "/", "libmlx5.a"})
    void aFileThatIsNoLibraryNamesNone(String file) {
        assertEquals("", Provider.ofFile(file).name());
    }

    @ParameterizedTest
    @CsvSource({"mlx5,true,true,false", "mlx4,true,true,false", "rxe,false,true,true", "siw,false,true,true",
            "bnxt_re,false,false,false", "hfi1verbs,false,false,false", "ipathverbs,false,false,false",
            "ibverbs,false,false,false", "'',false,false,false", "newer,false,false,false"})
    void whatIsNotKnownMayEnterTheKernel(String name, boolean posts, boolean polls, boolean isSoftware) {
        Provider provider = new Provider(name);
        assertEquals(posts, provider.postsWithoutKernel());
        assertEquals(polls, provider.pollsWithoutKernel());
        assertEquals(isSoftware, provider.isSoftware());
    }

    @Test
    void theFileIsTheOneThatTheFunctionLiesIn() {
        assumeTrue(Availability.problem() == null, Availability::problem);
        MemorySegment context = StandInDevice.context(TransportType.INFINIBAND, Arena.ofAuto());
        assertEquals("", Provider.of(context).name(), "no function");
        MemorySegment poll = Linker.nativeLinker().defaultLookup().find("poll").orElseThrow();
        ibv_context_ops.poll_cq(ibv_context.ops(context), poll);
        assertEquals("c", Provider.of(context).name());
        assertTrue(LibC.fileOf(poll).contains("libc.so"), LibC.fileOf(poll));
        assertNull(LibC.fileOf(Arena.ofAuto().allocate(1)));
        assertFalse(Provider.of(context).pollsWithoutKernel());
    }
}
