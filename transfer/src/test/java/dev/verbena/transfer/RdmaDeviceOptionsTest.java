package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RdmaDeviceOptionsTest {
    private final RdmaDeviceOptions options = RdmaDeviceOptions.defaults();

    @Test
    void refusesWhatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> options.withName(""));
        assertThrows(IllegalArgumentException.class, () -> options.withName("x".repeat(513)));
        assertThrows(IllegalArgumentException.class, () -> options.withCompletionQueues(0));
        assertThrows(IllegalArgumentException.class, () -> options.withQueuePairsPerPeer(0));
        assertThrows(IllegalArgumentException.class, () -> options.withQueueDepth(3));
        assertThrows(IllegalArgumentException.class, () -> options.withQueueDepth(1));
    }

    @Test
    void changesOneThingAtATime() {
        RdmaDeviceOptions changed = options.withName("a").withFabric("shm").withLocalEndpoint(new Endpoint("h", 1))
                .withCompletionQueues(2).withQueuePairsPerPeer(3).withQueueDepth(4)
                .withArrivalMode(ArrivalMode.IMMEDIATE).withProgress(Progress.pollers().withSpins(7))
                .withAdmission(new Admission(5, 6)).withStriping(Striping.over(2));
        assertEquals(new RdmaDeviceOptions("a", "shm", new Endpoint("h", 1), 2, 3, ArrivalMode.IMMEDIATE,
                options.network().withQueueDepth(4), new Progress(true, 7), new Admission(5, 6),
                Striping.over(2)), changed);
        NetworkOptions network = NetworkOptions.defaults().withDevice("rxe0").withQueueDepth(64);
        assertEquals(network, options.withNetwork(network).network());
        assertEquals(64, options.withNetwork(network).queueDepth());
    }

    /** A caller that waits sleeps on one completion queue. */
    @Test
    void callersDriveOneCompletionQueue() {
        RdmaDeviceOptions byCallers = options.withProgress(Progress.callers());
        assertEquals(Progress.callers(), byCallers.progress());
        assertThrows(IllegalArgumentException.class, () -> byCallers.withCompletionQueues(2));
        assertThrows(IllegalArgumentException.class, () -> Progress.callers().withSpins(-1));
    }

    @Test
    void theEnvironmentDescribesTheNetwork() {
        assertEquals(NetworkOptions.ofEnvironment(System.getenv()), options.network());
        assertEquals(1024, RdmaDeviceOptions.defaults(NetworkOptions.defaults()).queueDepth());
    }
}
