package dev.verbena.verbs.examples;

import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.AddressHandle;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairType;
import dev.verbena.verbs.ReceiveRequests;
import dev.verbena.verbs.SendRequests;
import dev.verbena.verbs.cm.CmEvent;
import dev.verbena.verbs.cm.CmEventChannel;
import dev.verbena.verbs.cm.CmEventType;
import dev.verbena.verbs.cm.CmId;
import dev.verbena.verbs.cm.CmPortSpace;
import dev.verbena.verbs.cm.DatagramDestination;
import dev.verbena.verbs.cm.MulticastMembership;

/**
 * Sends messages to a multicast group, or receives as many. It speaks with {@code mckey} of rdma-core, in either role.
 *
 * <pre>
 *   Mckey -m group -b address [-s] [-C messages] [-S bytes]
 * </pre>
 *
 * <p>Threading: confined to its owner. Source: librdmacm/examples/mckey.c of rdma-core.
 */
public final class Mckey implements AutoCloseable {
    private static final String VALUED = "mbCS";
    private static final String FLAGS = "s";
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(300);
    /** The global routing header that stands before each datagram. */
    private static final int HEADER_BYTE_SIZE = 40;

    private final CmEventChannel channel = CmEventChannel.create();
    private final CmId id = channel.createId(CmPortSpace.DATAGRAM);
    private final InetAddress group;
    private final int count;
    private final int byteSize;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final Completions completions;
    private final QueuePair pair;
    private final PrintStream out;

    private Mckey(InetAddress local, InetAddress group, int count, int byteSize, PrintStream out) {
        this.group = group;
        this.count = count;
        this.byteSize = byteSize;
        this.out = out;
        id.resolveAddress(new InetSocketAddress(local, 0), new InetSocketAddress(group, 0), TIMEOUT_NS);
        expect(CmEventType.ADDRESS_RESOLVED);
        domain = id.device().allocateProtectionDomain();
        region = domain.allocate(HEADER_BYTE_SIZE + byteSize, EnumSet.of(AccessFlag.LOCAL_WRITE));
        completions = new Completions(id.device(), count, false);
        pair = id.createQueuePair(domain, QueuePairOptions
                .of(QueuePairType.UNRELIABLE_DATAGRAM, completions.queue()).withDepth(count, count));
    }

    public static void main(String[] arguments) throws UnknownHostException {
        Arguments parsed = Arguments.parse(arguments, VALUED, FLAGS);
        try (Mckey mckey = new Mckey(InetAddress.getByName(parsed.text('b', "0.0.0.0")),
                InetAddress.getByName(parsed.text('m', null)), parsed.number('C', 10), parsed.number('S', 100),
                System.out)) {
            if (parsed.has('s')) {
                mckey.send();
            } else {
                mckey.receive();
            }
        }
    }

    private CmEvent expect(CmEventType type) {
        CmEvent event = null;
        for (long start = System.nanoTime(); event == null && System.nanoTime() - start < TIMEOUT_NS;) {
            event = channel.await(TIMEOUT_NS);
        }
        if (event == null || event.type() != type) {
            throw new IllegalStateException("no " + type + " but event=" + event);
        }
        return event;
    }

    private DatagramDestination join() {
        id.joinMulticast(group, MulticastMembership.FULL);
        DatagramDestination destination = expect(CmEventType.MULTICAST_JOIN).destination();
        out.println("joined " + group.getHostAddress());
        return destination;
    }

    private void send() {
        DatagramDestination destination = join();
        try (AddressHandle handle = domain.createAddressHandle(destination.path())) {
            SendRequests sends = new SendRequests(count, 1, 0);
            for (int i = 0; i < count; i++) {
                sends.get(i).sendWithImmediate(i, pair.number()).element(region, 0, byteSize).signaled()
                        .to(handle, destination.queuePairNumber(), destination.queueKey());
            }
            if (pair.post(sends, 0, count) != count) {
                throw new IllegalStateException("the send queue took fewer than messages=" + count);
            }
            awaitAll("sent");
        }
    }

    private void receive() {
        ReceiveRequests receives = new ReceiveRequests(count, 1);
        for (int i = 0; i < count; i++) {
            receives.get(i).receive(i).element(region, 0, HEADER_BYTE_SIZE + byteSize);
        }
        if (pair.post(receives, 0, count) != count) {
            throw new IllegalStateException("the receive queue took fewer than messages=" + count);
        }
        join();
        awaitAll("received");
    }

    private void awaitAll(String what) {
        for (int i = 0; i < count; i++) {
            completions.await(() -> false);
        }
        out.println(what + " messages=" + count);
        id.leaveMulticast(group);
    }

    @Override
    public void close() {
        pair.close();
        completions.close();
        region.close();
        domain.close();
        id.close();
        channel.close();
    }
}
