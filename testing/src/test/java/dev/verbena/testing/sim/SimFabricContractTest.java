package dev.verbena.testing.sim;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

import dev.verbena.testing.FabricContract;
import dev.verbena.transfer.spi.Fabric;

/**
 * What every fabric must do, the simulated one does in its one thread. What is skipped has threads of its own or looks at the machine's
 * clock; {@link SimTimeTest} has the same in virtual time.
 */
class SimFabricContractTest extends FabricContract {
    private static final String THREADS = "has threads of its own, a simulation has one; SimTimeTest has it in one";
    private static final String CLOCK = "looks at the machine's clock; SimTimeTest has it in virtual time";

    private Simulation simulation;

    @BeforeEach
    void begin(TestInfo test) {
        long seed = test.getDisplayName().hashCode();
        begin(new Simulation(seed, FaultPlan.harmless(seed)));
    }

    final void begin(Simulation simulation) {
        this.simulation = simulation;
    }

    @Override
    protected Fabric open() {
        return simulation.openFabric();
    }

    @Override
    public int deviceMemory(long byteSize) {
        return simulation.exportDeviceMemory(byteSize);
    }

    @AfterEach
    void end() {
        simulation.close();
    }

    @Override
    @Test
    @Disabled(THREADS)
    public void concurrentAddersLoseNothing() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void theTailWordBecomesVisibleLast() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void whoIsJustConnectingHearsWhyItsPeerGivesUp() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void aSignalBeforehandEndsTheNextAwaitOnly() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void theTimeoutEndsAnAwait() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void aSignalFromAnotherThreadEndsAnAwait() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void aCompletionThatWaitsEndsAnAwait() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void aCompletionEndsAnAwaitHoweverTheQueueIsToIdle() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void messagesWakeBothSides() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void aPostedReceiveWakesASenderThatWaitsForIt() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void theReceiverNotReadyTimeoutEndsAnAwait() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void aPlainWriteWakesTheTarget() {}

    @Override
    @Test
    @Disabled(THREADS)
    public void theLossOfThePeerEndsAnAwait() {}

    @Override
    @Test
    @Disabled(CLOCK)
    public void nobodyThereIsAClearErrorWhenTimeIsUp() {}

    @Override
    @Test
    @Disabled(CLOCK)
    public void anAwaitReallySleeps() {}
}
