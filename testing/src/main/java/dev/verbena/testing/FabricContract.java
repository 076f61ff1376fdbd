package dev.verbena.testing;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.spi.Fabric;

/**
 * What every fabric must do, as tests: subclass it and say how a fabric is opened.
 *
 * <p><b>Owner:</b> JUnit. <b>Threading:</b> confined to the test's thread; the fabrics' own threads call back.
 *
 * <p>Both ends live in one process, as two fabrics that know nothing of each other; one thread drives both.
 */
@Timeout(60)
public abstract class FabricContract
        implements
            MemoryContract,
            ImportContract,
            OneSidedContract,
            AtomicContract,
            MessageContract,
            QueueContract,
            AccessContract,
            PeerMemoryContract,
            ImmediateContract,
            FailureContract,
            ConnectionContract,
            ConnectingContract,
            WakeContract {
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** For a test class of a fabric. */
    protected FabricContract() {}

    /** A new fabric; this class closes it. */
    protected abstract Fabric open();

    /** Override it where memory of a device can be had. */
    @Override
    public int deviceMemory(long byteSize) {
        return -1;
    }

    @Override
    public final Fabric openFabric() {
        Fabric fabric = open();
        opened.add(fabric);
        return fabric;
    }

    @Override
    public final FabricPair connect() {
        return connect(FabricPair.Options.DEFAULT);
    }

    @Override
    public final FabricPair connect(FabricPair.Options options) {
        return new FabricPair(openFabric(), openFabric(), options);
    }

    @AfterEach
    final void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        opened.clear();
    }
}
