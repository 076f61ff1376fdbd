/**
 * RDMA verbs: devices, registered memory, queue pairs, completions. Connections by IP address are next door, in
 * {@link dev.verbena.verbs.cm}. The names are those of the InfiniBand specification and of the manual pages of rdma-core,
 * written out; {@code docs/guide/verbs.md} says what to choose when.
 *
 * <p>A first message, from one queue pair to another of the same process:
 *
 * {@snippet :
 * import dev.verbena.verbs.*;
 * import java.util.Set;
 *
 * var device = VerbsDevice.list().stream().filter(d -> d.transport() == TransportType.INFINIBAND).findFirst().orElseThrow();
 * try (var context = DeviceContext.open(device.name());
 *         var domain = context.allocateProtectionDomain();
 *         var region = domain.allocate(4096, Set.of(AccessFlag.LOCAL_WRITE));
 *         var queue = context.createCompletionQueue(16);
 *         var ada = domain.createQueuePair(QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue));
 *         var bob = domain.createQueuePair(QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue))) {
 *     DirectConnection.connect(ada, bob);
 *
 *     var receives = new ReceiveRequests(1, 1);
 *     receives.get(0).receive(1).element(region, 2048, 64);
 *     bob.post(receives, 0, 1);
 *
 *     region.memory().setString(0, "hello");
 *     var sends = new SendRequests(1, 1);
 *     sends.get(0).send(2).element(region, 0, 64).signaled();
 *     ada.post(sends, 0, 1);
 *
 *     var completions = new WorkCompletions(2);
 *     for (int done = 0; done < 2;) {
 *         int count = queue.poll(completions);
 *         for (int i = 0; i < count; i++, done++) {
 *             if (completions.status(i) != WorkCompletionStatus.SUCCESS) {
 *                 throw new IllegalStateException(completions.status(i).meaning());
 *             }
 *         }
 *     }
 *     System.out.println(region.memory().getString(2048));
 * }
 * }
 *
 * <p>Every type says who closes it and which threads may use it. What was made of something is closed before it; closing in the
 * wrong order is refused, and the message names what is still open. An outcome that is to be expected is a value, as the
 * status of a completion or a queue that is full; a verb that fails is a {@link dev.verbena.verbs.VerbsException}.
 */
package dev.verbena.verbs;
