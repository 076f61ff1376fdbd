package dev.verbena.djl;

import java.time.Duration;
import java.util.Arrays;

import dev.verbena.transfer.GroupEnvironment;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaDeviceOptions;

/** A process beside that of a test: trains, and prints each step's number and loss. */
final class Worker {
    /** An emulated processor takes minutes until PyTorch is loaded; who is lost is heard of at once nevertheless. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    private Worker() {}

    /** Over the test's device, where there is one. */
    static DataParallelOptions options(String fabric) {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return DataParallelOptions.defaults()
                .withDevice(RdmaDeviceOptions.defaults().withFabric(fabric)
                        .withNetwork(device == null ? network : network.withDevice(device)))
                .withMeetingTimeout(PATIENCE).withStepTimeout(PATIENCE).withBucketByteSize(100_000);
    }

    /** KIND STEPS BATCH FABRIC; its parameters are others than rank 0's, until that has given it those. */
    public static void main(String[] arguments) throws Exception {
        int steps = Integer.parseInt(arguments[1]);
        int batchSize = Integer.parseInt(arguments[2]);
        try (Training training = new Training(
                VerbenaDataParallel.join(GroupEnvironment.of(System.getenv()), options(arguments[3])), arguments[0],
                batchSize, 99)) {
            training.initialize();
            training.run(steps, (step, loss) -> System.out.println(step + " " + loss));
            System.out.println("copies=" + training.trainer.copies() + " staged="
                    + training.workers.statistics().copies() + " " + Arrays.asList(arguments));
        }
    }
}
