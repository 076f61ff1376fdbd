/**
 * Connections by IP address and port, as sockets have them: rdma_cm, which finds the device that leads to a peer and brings
 * queue pairs to READY_TO_SEND. On iWARP there is no other way; elsewhere {@link dev.verbena.verbs.DirectConnection} is one.
 *
 * <p>Both sides of a connection, one of them in a thread of its own:
 *
 * {@snippet :
 * import dev.verbena.verbs.*;
 * import dev.verbena.verbs.cm.*;
 * import java.net.InetSocketAddress;
 *
 * long timeoutNs = 30_000_000_000L;
 * var device = VerbsDevice.list().stream().filter(d -> d.transport() == TransportType.INFINIBAND).findFirst().orElseThrow();
 * var gid = device.query().ports().getFirst().bestGid().orElseThrow().gid();
 * try (var listener = CmListener.listen(new InetSocketAddress(gid.inetAddress(), 0), 1);
 *         var active = CmConnection.resolve(listener.address(), timeoutNs)) {
 *     var server = Thread.ofPlatform().start(() -> {
 *         CmConnection request = null;
 *         while (request == null) { // now and then it returns for no reason
 *             request = listener.next(timeoutNs);
 *         }
 *         try (var passive = request;
 *                 var domain = passive.id().device().allocateProtectionDomain();
 *                 var queue = passive.id().device().createCompletionQueue(16)) {
 *             var pair = passive.id().createQueuePair(domain,
 *                     QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue));
 *             // here receives are posted
 *             passive.accept(ConnectionParameters.defaults().withPrivateData("welcome".getBytes()), timeoutNs);
 *             passive.awaitDisconnected(timeoutNs);
 *             pair.close();
 *         }
 *     });
 *     try (var domain = active.id().device().allocateProtectionDomain();
 *             var queue = active.id().device().createCompletionQueue(16);
 *             var pair = active.id().createQueuePair(domain,
 *                     QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue))) {
 *         var accepted = active.connect(ConnectionParameters.defaults(), timeoutNs);
 *         System.out.println(new String(accepted.privateData()).trim() + ", " + pair.state());
 *         active.disconnect(timeoutNs);
 *     }
 *     server.join();
 * } catch (InterruptedException e) {
 *     throw new IllegalStateException(e);
 * }
 * }
 *
 * <p>{@link dev.verbena.verbs.cm.CmListener} and {@link dev.verbena.verbs.cm.CmConnection} wait for each step with a deadline. Beneath
 * them lie {@link dev.verbena.verbs.cm.CmEventChannel}, whose events tell what happens to many connections, and
 * {@link dev.verbena.verbs.cm.CmId}, one side of one; datagrams and multicast groups are theirs alone. A connection that does not come
 * about is a {@link dev.verbena.verbs.cm.ConnectionException}.
 */
package dev.verbena.verbs.cm;
