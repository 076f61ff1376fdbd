package dev.verbena.cli.perf;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.verbena.cli.Candidates;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Opcode;

/**
 * What can be measured; names, titles and defaults are perftest's ({@code ib_write_bw} and its siblings), but for puts, which are done at once and
 * which UCX's {@code ucx_perftest} has.
 */
enum PerfTest {
    WRITE_BW(Opcode.WRITE, true, "RDMA_Write", 5000),
    READ_BW(Opcode.READ, true, "RDMA_Read", 1000),
    SEND_BW(Opcode.SEND, true, "Send", 1000),
    WRITE_LAT(Opcode.WRITE, false, "RDMA_Write", 1000),
    READ_LAT(Opcode.READ, false, "RDMA_Read", 1000),
    SEND_LAT(Opcode.SEND, false, "Send", 1000),
    ATOMIC_LAT(Opcode.FETCH_AND_ADD, false, "Atomic FETCH_AND_ADD", 1000),
    PUT_BW(Opcode.WRITE, true, "Put", 5000),
    PUT_LAT(Opcode.WRITE, false, "Put", 1000);

    /** For the help, and the shell's completion. */
    static final class Names extends Candidates {
        @Override
        protected List<String> words() {
            return Stream.of(values()).map(PerfTest::toString).toList();
        }
    }

    private static final long BANDWIDTH_BYTE_SIZE = 65_536;
    private static final int BANDWIDTH_DEPTH = 128;
    private static final long LATENCY_BYTE_SIZE = 2;

    private static final int WRITE_INLINE_BYTE_SIZE_MAX = 220;
    private static final int SEND_INLINE_BYTE_SIZE_MAX = 236;

    final Opcode opcode;
    final boolean isBandwidth;
    private final String verb;
    final long iterations;

    PerfTest(Opcode opcode, boolean isBandwidth, String verb, long iterations) {
        this.opcode = opcode;
        this.isBandwidth = isBandwidth;
        this.verb = verb;
        this.iterations = iterations;
    }

    static Optional<PerfTest> of(String name) {
        return Stream.of(values()).filter(test -> test.toString().equals(name)).findFirst();
    }

    String title() {
        return verb + (isBandwidth ? " BW Test" : " Latency Test");
    }

    long byteSize() {
        return isAtomic() || this == PUT_LAT ? Long.BYTES : isBandwidth ? BANDWIDTH_BYTE_SIZE : LATENCY_BYTE_SIZE;
    }

    int sendDepth() {
        return isBandwidth && !isPut() ? BANDWIDTH_DEPTH : 1;
    }

    /** Of a message that goes into its request: none in bandwidth tests, and perftest's default in those of latency. */
    int inlineByteSizeMax() {
        return isBandwidth || !canInline() ? 0 : isSend() ? SEND_INLINE_BYTE_SIZE_MAX : WRITE_INLINE_BYTE_SIZE_MAX;
    }

    boolean canInline() {
        return opcode == Opcode.WRITE && !isPut() || opcode == Opcode.SEND;
    }

    /** Whether nothing is posted. */
    boolean isPut() {
        return this == PUT_BW || this == PUT_LAT;
    }

    boolean isAtomic() {
        return opcode == Opcode.FETCH_AND_ADD;
    }

    boolean isSend() {
        return opcode == Opcode.SEND;
    }

    /** Whether both sides post in turn, so that a round trip holds two of what is reported, and both sides measure. */
    boolean isPingPong() {
        return !isBandwidth && (opcode == Opcode.WRITE || opcode == Opcode.SEND);
    }

    /** What a side's buffer allows: no more than the test needs. */
    Set<AccessRight> rights() {
        return switch (opcode) {
            case WRITE -> Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
            case READ -> Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);
            case FETCH_AND_ADD -> Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_ATOMIC);
            default -> Set.of(AccessRight.LOCAL_WRITE);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
